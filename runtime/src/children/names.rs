//! Names that neither collide nor exceed what Kubernetes takes.

use crate::mutant::{Mutant, mutated};
use crate::{engine::key::ObjectKey, identity::Fnv};

/// The longest name that every kind accepts, and the longest value of a label.
const LONGEST: usize = 63;
/// Hexadecimal digits of the hash.
const DIGITS: usize = 10;

fn hash(parts: &[&str]) -> String {
    let mut hash = Fnv::default();
    for part in parts {
        hash.write(part.as_bytes());
        hash.write(&[0xff]);
    }
    format!("{:016x}", hash.0)[..DIGITS].to_owned()
}

/// The name of the child `suffix` of an owner: readable, at most 63 characters, the same after a restore, and never
/// that of another owner or suffix, which the hash at its end sees to.
pub(crate) fn child_name(owner_kind: &str, owner: &ObjectKey, suffix: &str) -> String {
    let namespace = owner.namespace.as_deref().unwrap_or_default();
    let hash = hash(&[owner_kind, namespace, &owner.name, suffix]);
    // Some kinds take no dots, and no digit first.
    let mut readable = format!("{}-{suffix}", owner.name).replace('.', "-");
    if readable.starts_with(|first: char| first.is_ascii_digit()) {
        readable.insert(0, 'n');
    }
    if mutated(Mutant::NameHash) {
        readable.truncate(LONGEST);
        return readable;
    }
    let room = LONGEST - DIGITS - 1;
    if readable.len() > room {
        let end = (0..=room).rev().find(|end| readable.is_char_boundary(*end));
        readable.truncate(end.unwrap_or_default());
    }
    format!("{}-{hash}", readable.trim_end_matches('-'))
}

/// `kind.group` as the value of a label.
pub(crate) fn label_value(kind: &str, group: &str) -> String {
    let full = format!("{kind}.{group}");
    let full = full.trim_end_matches('.');
    if full.len() <= LONGEST {
        return full.to_owned();
    }
    let room = LONGEST - DIGITS - 1;
    let readable = full[..room].trim_end_matches(['.', '-', '_']);
    format!("{readable}-{}", hash(&[kind, group]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> ObjectKey {
        ObjectKey::new(Some("default"), name)
    }

    #[test]
    fn long_names_stay_apart_and_short() {
        let long = "a".repeat(253);
        let longer = format!("{}b", "a".repeat(252));
        let names = [
            child_name("Gadget.x", &owner(&long), "config"),
            child_name("Gadget.x", &owner(&longer), "config"),
            child_name("Gadget.x", &owner(&long), "web"),
            child_name("Other.x", &owner(&long), "web"),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(name.len() <= LONGEST, "{name}");
            assert!(!names[..index].contains(name), "{name} twice");
        }
    }

    #[test]
    fn a_suffix_is_no_part_of_the_owner() {
        assert_ne!(
            child_name("Gadget.x", &owner("a-b"), "c"),
            child_name("Gadget.x", &owner("a"), "b-c")
        );
    }

    #[test]
    fn names_suit_every_kind() {
        let name = child_name("Gadget.x", &owner("1.example.com"), "web");
        assert!(name.starts_with("n1-example-com-web-"), "{name}");
        assert_eq!(label_value("Gadget", "example.com"), "Gadget.example.com");
        assert_eq!(label_value("Pod", ""), "Pod");
        let long = label_value("Gadget", &"g".repeat(80));
        assert!(
            long.len() <= LONGEST && long.starts_with("Gadget.ggg"),
            "{long}"
        );
    }
}
