//! The settings that lead back to the project they were written for.

use std::path::Path;

use cargo_opgen::answers::{Answers, Nobody};
use cargo_opgen::assemble;
use cargo_opgen::cli::New;
use cargo_opgen::plan::Plan;
use cargo_opgen::settings::{self, Settings};

use crate::shapes::{flags, operator, shapes, text};

/// The settings that a project is born with lead to the same project.
#[test]
fn settings_lead_back_to_the_same_project() {
    for shape in shapes()
        .into_iter()
        .filter(|shape| shape.from_crd.is_none())
    {
        let first = operator(&shape);
        let written = settings::write(&first);
        let read = Settings::parse(Path::new("opgen.toml"), written.clone())
            .unwrap_or_else(|failure| panic!("{failure}"));
        let only_path = New {
            path: shape.path.clone(),
            yes: true,
            ..New::default()
        };
        let answers = Answers::collect(&only_path, Some(&read), &mut Nobody).unwrap();
        let second = assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(settings::write(&second), written);
        assert_eq!(
            Plan::render(&first, Vec::new()).unwrap(),
            Plan::render(&second, Vec::new()).unwrap()
        );
    }
}

/// A flag wins over the settings, field by field.
#[test]
fn flags_win_over_settings() {
    let text_of_file = settings::write(&operator(&flags("from-file")));
    let read = Settings::parse(Path::new("opgen.toml"), text_of_file).unwrap();
    let shape = New {
        version: text("v1"),
        external: text("none"),
        phases: text("Pending>Ready,Ready:steady>Pending"),
        ..New {
            path: "elsewhere".into(),
            ..New::default()
        }
    };
    let operator =
        assemble::operator(&Answers::collect(&shape, Some(&read), &mut Nobody).unwrap()).unwrap();
    assert_eq!(operator.name.as_str(), "from-file");
    let resource = &operator.resources[0];
    assert_eq!(
        (resource.kind.as_str(), resource.version.as_str()),
        ("Database", "v1")
    );
    assert_eq!(resource.external.as_str(), "none");
    assert_eq!(resource.machine.phases().len(), 3);
}
