//! The conversation of an interactive `new`: each question once, Esc goes back to the one before it, and at the end what
//! would be made is shown before anything is. Nothing is written here.
//!
//! The questions stand where the answers are merged ([`crate::answers`]); going back is collecting them anew with one
//! answer less.

use crate::answers::{Answers, Ask};
use crate::error::{Failure, Problem, Result};

/// What somebody did when asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An answer.
    Said(String),
    /// Back to the question before this one.
    Back,
}

/// Somebody who can be asked and shown something.
pub trait Person {
    /// Asks for a line of text.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Reply>;

    /// Asks for one of several.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn choice(&mut self, question: &str, choices: &[(&'static str, &'static str)])
    -> Result<Reply>;

    /// Shows something.
    fn show(&mut self, text: &str);
}

/// What is asked once everything else is answered.
const LAST: &[(&str, &str)] = &[
    ("create", "write it"),
    ("back", "change an answer"),
    ("cancel", "write nothing"),
];

/// Holds a conversation. `collect` merges with what is answered here; `make` makes the result, and a text that shows it.
/// Where nothing has to be asked, nothing is shown.
///
/// # Errors
/// If it was broken off, or what was answered elsewhere is wrong.
pub fn hold<T>(
    person: &mut dyn Person,
    collect: &dyn Fn(&mut dyn Ask) -> Result<Answers>,
    make: &dyn Fn(&Answers) -> Result<(T, String)>,
) -> Result<T> {
    let mut said = Vec::new();
    loop {
        let mut asking = Asking {
            person,
            said: &mut said,
            next: 0,
            went_back: false,
        };
        let answers = match collect(&mut asking) {
            Err(_) if asking.went_back => {
                said.pop();
                continue;
            }
            answers => answers?,
        };
        let (made, preview) = make(&answers)?;
        if said.is_empty() {
            return Ok(made);
        }
        person.show(&preview);
        match person.choice("Write it?", LAST)? {
            Reply::Said(choice) if choice == "create" => return Ok(made),
            Reply::Said(choice) if choice == "cancel" => return Err(ended()),
            Reply::Said(_) | Reply::Back => {
                said.pop();
            }
        }
    }
}

/// The conversation was broken off.
pub fn ended() -> Failure {
    Problem::new("the conversation was broken off; nothing was written")
        .mend("answer with flags, or pass --yes to take every default")
        .input()
}

/// Answers what was answered before, and asks the person for the rest.
struct Asking<'a> {
    person: &'a mut dyn Person,
    said: &'a mut Vec<String>,
    next: usize,
    went_back: bool,
}

impl Asking<'_> {
    fn answer(
        &mut self,
        ask: impl FnOnce(&mut dyn Person) -> Result<Reply>,
    ) -> Result<Option<String>> {
        if self.next == self.said.len() {
            match ask(self.person)? {
                Reply::Said(answer) => self.said.push(answer),
                // Caught in `hold`; nobody reads its words.
                Reply::Back => {
                    self.went_back = true;
                    return Err(ended());
                }
            }
        }
        self.next += 1;
        Ok(self.said.get(self.next - 1).cloned())
    }
}

impl Ask for Asking<'_> {
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>> {
        self.answer(|person| person.text(question, default, check))
    }

    fn choice(
        &mut self,
        question: &str,
        choices: &[(&'static str, &'static str)],
    ) -> Result<Option<String>> {
        self.answer(|person| person.choice(question, choices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Nobody;
    use crate::cli::New;

    /// Answers from a list, and keeps what it was asked and shown.
    struct Scripted {
        replies: Vec<Option<Reply>>,
        seen: Vec<String>,
        /// The first of the choices at each choice.
        first: Vec<&'static str>,
    }

    impl Scripted {
        fn new(replies: &[&str]) -> Self {
            let reply = |text: &&str| match *text {
                "<back>" => Some(Reply::Back),
                "<end>" => None,
                text => Some(Reply::Said(text.to_owned())),
            };
            Self {
                replies: replies.iter().rev().map(reply).collect(),
                seen: Vec::new(),
                first: Vec::new(),
            }
        }

        fn reply(&mut self, question: &str) -> Result<Reply> {
            self.seen.push(question.to_owned());
            self.replies
                .pop()
                .expect("one question too many")
                .ok_or_else(ended)
        }
    }

    impl Person for Scripted {
        fn text(
            &mut self,
            question: &str,
            default: &str,
            check: fn(&str) -> Result<(), Problem>,
        ) -> Result<Reply> {
            check(default).expect("the default is good");
            self.reply(question)
        }

        fn choice(
            &mut self,
            question: &str,
            choices: &[(&'static str, &'static str)],
        ) -> Result<Reply> {
            self.first.extend(choices.first().map(|(name, _)| *name));
            self.reply(question)
        }

        fn show(&mut self, text: &str) {
            self.seen.push(text.to_owned());
        }
    }

    fn held(flags: &New, replies: &[&str]) -> (Result<(String, String)>, Vec<String>) {
        let mut person = Scripted::new(replies);
        let collect = |ask: &mut dyn Ask| Answers::collect(flags, None, ask);
        let make = |answers: &Answers| {
            let kind = &answers.kinds[0];
            let names = (kind.kind.value.clone(), kind.external.value.clone());
            Ok((names, "the preview".to_owned()))
        };
        (hold(&mut person, &collect, &make), person.seen)
    }

    fn new() -> New {
        New {
            path: "shop-operator".into(),
            ..New::default()
        }
    }

    const MAKES: &str =
        "Kinds it makes inside the cluster (Deployment,Service,...; Enter for none)";
    const REFERS: &str = "Kinds its spec refers to (Secret,ConfigMap,...; Enter for none)";
    const MANAGES: &str = "What does it manage outside the cluster?";

    #[test]
    fn each_question_once_and_a_preview() {
        let replies = ["Shop", "shop.example.com", "", "", "none", "create"];
        let (made, seen) = held(&new(), &replies);
        assert_eq!(made.expect("made"), ("Shop".to_owned(), "none".to_owned()));
        let questions = [
            "Kind",
            "API group",
            MAKES,
            REFERS,
            MANAGES,
            "the preview",
            "Write it?",
        ];
        assert_eq!(seen, questions);
    }

    #[test]
    fn kinds_are_taken_one_by_one_and_what_is_managed_follows_from_them() {
        let mut person = Scripted::new(&["Deployment, v1/Secret,", "ConfigMap", "none"]);
        let flags = New {
            kind: Some("Shop".to_owned()),
            group: Some("a.b".to_owned()),
            ..new()
        };
        let mut said = Vec::new();
        let mut asking = Asking {
            person: &mut person,
            said: &mut said,
            next: 0,
            went_back: false,
        };
        let answers = Answers::collect(&flags, None, &mut asking).expect("collected");
        let values = |list: &[crate::answers::Answer<String>]| {
            let value = |answer: &crate::answers::Answer<String>| answer.value.clone();
            list.iter().map(value).collect::<Vec<_>>()
        };
        assert_eq!(values(&answers.kinds[0].owns), ["Deployment", "v1/Secret"]);
        assert_eq!(values(&answers.kinds[0].watches), ["ConfigMap"]);
        assert_eq!(person.seen, [MAKES, REFERS, MANAGES]);
        // What is offered first: nothing outside for what is made of children, an API for what is not.
        assert_eq!(person.first, ["none"]);
    }

    #[test]
    fn back_leads_to_the_question_before_and_from_the_first_one_nowhere() {
        let replies = [
            "<back>",
            "Shop",
            "a.example.com",
            "<back>",
            "<back>",
            "Store",
            "b.example.com",
            "",
            "",
            "<back>",
            "Secret",
            "http",
            "back",
            "custom",
            "create",
        ];
        let (made, seen) = held(&new(), &replies);
        assert_eq!(
            made.expect("made"),
            ("Store".to_owned(), "custom".to_owned())
        );
        let questions: Vec<&str> = seen
            .iter()
            .map(String::as_str)
            .filter(|text| !text.contains("preview"))
            .collect();
        assert_eq!(
            questions,
            [
                "Kind",
                "Kind",
                "API group",
                MAKES,
                "API group",
                "Kind",
                "API group",
                MAKES,
                REFERS,
                MANAGES,
                REFERS,
                MANAGES,
                "Write it?",
                MANAGES,
                "Write it?"
            ]
        );
    }

    #[test]
    fn who_ends_it_or_cancels_gets_nothing() {
        for replies in [
            &["<end>"][..],
            &["Shop", "<end>"],
            &["Shop", "a.b", "", "", "http", "cancel"],
        ] {
            let failure = held(&new(), replies).0.expect_err("broken off");
            assert!(
                failure.to_string().contains("nothing was written"),
                "{failure}"
            );
        }
    }

    #[test]
    fn what_is_answered_is_not_asked() {
        let flags = New {
            kind: Some("Shop".to_owned()),
            group: Some("a.b".to_owned()),
            external: Some("none".to_owned()),
            ..new()
        };
        let (made, seen) = held(&flags, &[]);
        made.expect("made");
        assert!(seen.is_empty(), "{seen:?}");
        Answers::collect(&flags, None, &mut Nobody).expect("nobody is needed");
    }
}
