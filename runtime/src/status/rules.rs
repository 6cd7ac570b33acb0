//! The rules of a status type, compiled into a tree that is walked beside the values.

use std::{
    any::TypeId,
    collections::{BTreeMap, HashMap},
    sync::{OnceLock, PoisonError, RwLock},
};

use super::{FieldRule, MachinePaths, MachineStatus, Rule};

/// What comparing, merging and diffing must know of one status type.
#[derive(Debug)]
pub struct Rules {
    root: Node,
    paths: MachinePaths,
    pub(super) phase: Vec<String>,
    pub(super) entered_at: Vec<String>,
    pub(super) observed_generation: Vec<String>,
    pub(super) conditions: Vec<String>,
}

/// Who may change a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    /// The handlers.
    #[default]
    Author,
    /// The runtime alone.
    Machine,
    /// A list of conditions: its items have different owners.
    Conditions,
}

/// In which form a scalar compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Plain,
    Quantity,
    Time,
}

/// The rules of one place, and of those below it.
#[derive(Debug, Default)]
pub(super) struct Node {
    named: BTreeMap<String, Node>,
    any: Option<Box<Node>>,
    pub(super) volatile: bool,
    pub(super) keys: Option<Vec<String>>,
    pub(super) form: Form,
    pub(super) bound: Option<usize>,
    pub(super) owner: Owner,
    /// A field of the runtime is here or below.
    pub(super) holds_machine: bool,
    /// A bounded list is here or below.
    pub(super) holds_bounds: bool,
}

static NO_RULES: Node = Node {
    named: BTreeMap::new(),
    any: None,
    volatile: false,
    keys: None,
    form: Form::Plain,
    bound: None,
    owner: Owner::Author,
    holds_machine: false,
    holds_bounds: false,
};

impl Rules {
    /// The rules of `S`, compiled once per process.
    #[must_use]
    pub fn of<S: MachineStatus>() -> &'static Self {
        static CACHE: OnceLock<RwLock<HashMap<TypeId, &'static Rules>>> = OnceLock::new();
        let cache = CACHE.get_or_init(RwLock::default);
        let id = TypeId::of::<S>();
        let known = cache
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&id)
            .copied();
        known.unwrap_or_else(|| {
            let mut cache = cache.write().unwrap_or_else(PoisonError::into_inner);
            // Leaked on purpose: a program has as many entries as it has status types.
            *cache
                .entry(id)
                .or_insert_with(|| Box::leak(Box::new(Self::new(&S::rules(), S::PATHS))))
        })
    }

    /// Compiles rules. A path's `*` stands for any list item or map member; a member that is named has the rules of
    /// its own name only.
    #[must_use]
    pub fn new(rules: &[FieldRule], paths: MachinePaths) -> Self {
        let mut new = Self::unfinished(rules, paths);
        let root = &mut new.root;
        for path in [&new.phase, &new.entered_at, &new.observed_generation] {
            root.at(path).own(Owner::Machine);
        }
        let list = root.at(&new.conditions);
        list.own(Owner::Conditions);
        list.keys = Some(vec!["type".to_owned()]);
        // A new time alone is no news, whoever wrote it.
        let time = ["*".to_owned(), "lastTransitionTime".to_owned()];
        list.at(&time).volatile = true;
        root.finish();
        new
    }

    /// Compiles the rules of a status that no machine has a part in.
    pub(super) fn plain(rules: &[FieldRule]) -> Self {
        let mut new = Self::unfinished(rules, MachinePaths::DEFAULT);
        new.root.finish();
        new
    }

    fn unfinished(rules: &[FieldRule], paths: MachinePaths) -> Self {
        let mut root = Node::default();
        for FieldRule { path, rule } in rules {
            root.at(&tokens(path)).take(rule);
        }
        Self {
            root,
            paths,
            phase: tokens(paths.phase),
            entered_at: tokens(paths.phase_entered_at),
            observed_generation: tokens(paths.observed_generation),
            conditions: tokens(paths.conditions),
        }
    }

    /// Where the runtime's own fields are.
    #[must_use]
    pub fn paths(&self) -> &MachinePaths {
        &self.paths
    }

    pub(super) fn root(&self) -> &Node {
        &self.root
    }
}

impl Node {
    /// The rules of the member `name`.
    pub(super) fn child(&self, name: &str) -> &Self {
        self.named.get(name).unwrap_or_else(|| self.item())
    }

    /// The rules of any list item.
    pub(super) fn item(&self) -> &Self {
        self.any.as_deref().unwrap_or(&NO_RULES)
    }

    fn at(&mut self, path: &[String]) -> &mut Self {
        path.iter().fold(self, |node, token| match token.as_str() {
            "*" => node.any.get_or_insert_default(),
            name => node.named.entry(name.to_owned()).or_default(),
        })
    }

    fn own(&mut self, owner: Owner) {
        *self = Self {
            owner,
            any: self.any.take(),
            ..Self::default()
        };
    }

    fn take(&mut self, rule: &Rule) {
        match rule {
            Rule::Volatile => self.volatile = true,
            Rule::ListMap(keys) => self.keys = Some(keys.clone()).filter(|keys| !keys.is_empty()),
            Rule::Quantity => self.form = Form::Quantity,
            Rule::Time => self.form = Form::Time,
            Rule::Bounded(most) => self.bound = Some(*most),
        }
    }

    /// Fills in what depends on the nodes below, and makes keys compare as they are: an item's identity has one form.
    fn finish(&mut self) {
        for key in self.keys.clone().unwrap_or_default() {
            let member = self.any.get_or_insert_default().at(&[key]);
            (member.volatile, member.form) = (false, Form::Plain);
        }
        self.holds_machine = self.owner != Owner::Author;
        self.holds_bounds = self.bound.is_some();
        let below = self.named.values_mut();
        for node in below.chain(self.any.as_deref_mut()) {
            node.finish();
            self.holds_machine |= node.holds_machine;
            self.holds_bounds |= node.holds_bounds;
        }
    }
}

/// The tokens of a JSON pointer (RFC 6901), unescaped; the leading slash may be missing.
fn tokens(pointer: &str) -> Vec<String> {
    pointer
        .split('/')
        .skip(usize::from(pointer.starts_with('/') || pointer.is_empty()))
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_unescaped_and_empty_ones_mean_the_root() {
        assert_eq!(tokens("/a~1b/*/c~0d"), ["a/b", "*", "c~d"]);
        assert_eq!(tokens("a/b"), ["a", "b"]);
        assert!(tokens("").is_empty());
        assert_eq!(tokens("/"), [""]);
    }

    #[test]
    fn keys_of_a_list_map_are_never_volatile() {
        let rules = [
            FieldRule {
                path: "/l/*/name".into(),
                rule: Rule::Volatile,
            },
            FieldRule {
                path: "/l".into(),
                rule: Rule::ListMap(vec!["name".into()]),
            },
        ];
        let rules = Rules::new(&rules, MachinePaths::DEFAULT);
        assert!(!rules.root().child("l").item().child("name").volatile);
    }

    #[test]
    fn a_parent_knows_that_it_holds_fields_of_the_runtime() {
        let paths = MachinePaths {
            phase: "/opgen/phase",
            ..MachinePaths::DEFAULT
        };
        let rules = Rules::new(&[], paths);
        assert!(rules.root().child("opgen").holds_machine);
        assert!(!rules.root().child("other").holds_machine);
    }
}
