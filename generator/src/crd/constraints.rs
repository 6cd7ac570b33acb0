//! `oneOf`, `anyOf`, `allOf` and `not` of a structural schema: which declared fields there may be together.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{instance::Maker, schema::Schema};

impl Maker {
    /// What the node and the branches chosen for it ask of its fields.
    pub(super) fn constraints<'a>(
        &mut self,
        schema: Schema<'a>,
        overlay: &Overlay<'a>,
    ) -> Constraints<'a> {
        let mut constraints = Constraints::default();
        self.collect(schema, &mut constraints);
        for branch in &overlay.schemas {
            self.collect(*branch, &mut constraints);
            for (name, property) in branch.properties() {
                constraints.properties.push((name, property));
            }
        }
        constraints
    }

    fn collect<'a>(&mut self, schema: Schema<'a>, constraints: &mut Constraints<'a>) {
        constraints.include.extend(schema.required());
        for key in ["oneOf", "anyOf"] {
            let branches = schema.branches(key);
            let Some(chosen) = (!branches.is_empty()).then(|| self.below(branches.len())) else {
                continue;
            };
            self.collect(branches[chosen], constraints);
            constraints.properties.extend(branches[chosen].properties());
            // The other branches of a oneOf must fail: leave out what only they ask for.
            if key == "oneOf" {
                let others = branches
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != chosen)
                    .flat_map(|(_, branch)| branch.required());
                constraints
                    .exclude
                    .extend(others.filter(|name| !branches[chosen].required().contains(name)));
            }
        }
        for branch in schema.branches("allOf") {
            self.collect(branch, constraints);
            constraints.properties.extend(branch.properties());
        }
        if let Some(negated) = schema.negated() {
            exclude(negated, constraints);
        }
        // A branch may forbid a field by saying `not: {}` of it.
        for (name, property) in schema.properties() {
            if property
                .negated()
                .and_then(Schema::as_map)
                .is_some_and(Map::is_empty)
            {
                constraints.exclude.insert(name);
            }
        }
    }
}

/// Leaves out fields so that `negated` does not hold.
fn exclude<'a>(negated: Schema<'a>, constraints: &mut Constraints<'a>) {
    let free = negated
        .required()
        .into_iter()
        .find(|name| !constraints.include.contains(name));
    constraints.exclude.extend(free);
    for key in ["anyOf", "oneOf"] {
        for branch in negated.branches(key) {
            exclude(branch, constraints);
        }
    }
}

#[derive(Default)]
pub(super) struct Constraints<'a> {
    pub(super) include: BTreeSet<&'a str>,
    pub(super) exclude: BTreeSet<&'a str>,
    /// Schemas that chosen branches lay over properties.
    pub(super) properties: Vec<(&'a str, Schema<'a>)>,
}

/// What branches further up ask of a value besides its own schema.
#[derive(Default)]
pub(super) struct Overlay<'a> {
    schemas: Vec<Schema<'a>>,
    pub(super) values: Option<Vec<Value>>,
}

impl<'a> Overlay<'a> {
    pub(super) fn of(properties: &[(&'a str, Schema<'a>)], name: &str) -> Self {
        let schemas: Vec<Schema<'a>> = properties
            .iter()
            .filter(|(property, _)| *property == name)
            .map(|(_, schema)| *schema)
            .collect();
        let values = schemas
            .iter()
            .find_map(|schema| schema.enum_values().cloned());
        Self { schemas, values }
    }

    /// The values that every enum here admits, if there is one.
    pub(super) fn allowed(&self, schema: Schema<'_>) -> Option<Vec<Value>> {
        let own = schema.enum_values().cloned();
        let branches = schema
            .branches("allOf")
            .into_iter()
            .filter_map(|branch| branch.enum_values().cloned());
        let any = ["anyOf", "oneOf"]
            .into_iter()
            .flat_map(|key| schema.branches(key))
            .find_map(|branch| branch.enum_values().cloned());
        let mut sets = own
            .into_iter()
            .chain(self.values.clone())
            .chain(branches)
            .chain(any);
        let first = sets.next()?;
        let rest: Vec<Vec<Value>> = sets.collect();
        let is_null_ok = schema.is_nullable();
        let admitted = |value: &Value| {
            rest.iter().all(|set| set.contains(value)) && (is_null_ok || !value.is_null())
        };
        Some(first.into_iter().filter(admitted).collect())
    }
}
