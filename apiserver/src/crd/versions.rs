//! The order of version names.

use std::cmp::Ordering;

/// Orders version names as Kubernetes does: `v2` above `v1` above `v2beta1` above `v1alpha1` above anything else, which
/// is ordered by name, backwards.
pub fn compare(left: &str, right: &str) -> Ordering {
    match (parse(left), parse(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => right.cmp(left),
    }
}

/// Stage (2 stable, 1 beta, 0 alpha), major, minor.
fn parse(version: &str) -> Option<(u8, u32, u32)> {
    let rest = version.strip_prefix('v')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let major = rest[..end].parse().ok()?;
    match &rest[end..] {
        "" => Some((2, major, 0)),
        stage => {
            let (rank, minor) = match (stage.strip_prefix("beta"), stage.strip_prefix("alpha")) {
                (Some(minor), _) => (1, minor),
                (_, Some(minor)) => (0, minor),
                _ => return None,
            };
            Some((rank, major, minor.parse().ok()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn versions_are_ordered_by_stage_then_number() {
        let mut versions = vec![
            "foo1", "v1alpha1", "v10", "v2", "v1", "v11beta2", "v3beta1", "foo10",
        ];
        versions.sort_by(|left, right| compare(right, left));
        assert_eq!(
            versions,
            [
                "v10", "v2", "v1", "v11beta2", "v3beta1", "v1alpha1", "foo1", "foo10"
            ]
        );
    }
}
