//! Reads a CRD file for `--from-crd` and takes from it what the model needs.

use std::path::{Path, PathBuf};

use crate::answers::Answer;
use crate::crd::types::{self, RustSource};
use crate::crd::{self, Additions, Choice, CrdError, CrdFile};
use crate::error::{Exit, Failure, Place, Problem, Result, SourceText};
use crate::model::{Adopted, Scope};

/// What a CRD file says, in the model's terms; its names are checked where all names are.
pub(crate) struct Found {
    /// The file.
    pub(crate) path: PathBuf,
    pub(crate) kind: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) short: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) adopted: Adopted,
}

impl Found {
    /// Reads the file and makes types of it. `kind` and `version` choose where the file leaves a choice.
    ///
    /// # Errors
    /// If the file cannot be read, is no YAML, or holds no CRD that an operator can be made from.
    pub(crate) fn read(
        file: &Answer<PathBuf>,
        kind: Option<&str>,
        version: Option<&str>,
    ) -> Result<Self> {
        let path = &file.value;
        let text = read_text(path)?;
        let name = path.display().to_string();
        let source = SourceText {
            path: path.clone(),
            text: text.as_str().into(),
        };
        let refused = |error: CrdError| problem(&error, &name, &source).input();
        let crd = CrdFile::choose(&text, &name, Choice { kind, version }).map_err(refused)?;
        let additions = Additions::for_crd(&crd).map_err(refused)?;
        let module = types::generate(&crd, &additions).map_err(refused)?;
        Ok(Self {
            kind: crd.type_name(),
            group: crd.group().to_owned(),
            version: crd.version().to_owned(),
            plural: crd.plural().to_owned(),
            short: crd.short_names().into_iter().map(str::to_owned).collect(),
            scope: match crd.scope() {
                crd::Scope::Namespaced => Scope::Namespaced,
                crd::Scope::Cluster => Scope::Cluster,
            },
            adopted: adopted(&crd, &additions, &module)?,
            path: path.clone(),
        })
    }
}

fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Failure {
        exit: Exit::Input,
        ..Failure::io("reading the CRD", path, &error)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        Problem::new(format!(
            "the CRD is not UTF-8 from byte {} on",
            error.utf8_error().valid_up_to()
        ))
        .at(Place::Path(path.to_path_buf()))
        .mend("name a YAML file with a CustomResourceDefinition in it")
        .input()
    })
}

fn adopted(crd: &CrdFile, additions: &Additions, module: &RustSource) -> Result<Adopted> {
    let object = crd::sample(crd);
    let sample = serde_saphyr::to_string(&object).map_err(|error| {
        Problem::new(format!(
            "a sample object cannot be written as YAML: {error}"
        ))
        .environment()
    })?;
    Ok(Adopted {
        original: crd.text().to_owned(),
        types: module.text().to_owned(),
        root: module.root().to_owned(),
        spec: module.spec().map(str::to_owned),
        optional_spec: module.has_optional_spec(),
        status: module.status().to_owned(),
        crd: additions.yaml().to_owned(),
        additions: additions.lines(),
        sample: sample.trim_end().to_owned(),
        sample_json: format!("{object:#}"),
    })
}

/// The error's own words, and its line as a place that is shown.
fn problem(error: &CrdError, file: &str, source: &SourceText) -> Problem {
    let said = error.to_string();
    let start = match error.line() {
        Some(line) => format!("{file}:{line}: "),
        None => format!("{file}: "),
    };
    let end = format!("; {}", error.mend());
    let what = said.strip_prefix(&start).unwrap_or(&said);
    let what = what.strip_suffix(&end).unwrap_or(what);
    let field = error.field().map(str::to_owned);
    let what = match &field {
        Some(field) => what.strip_suffix(&format!(" (at {field})")).unwrap_or(what),
        None => what,
    };
    let place = match error.line() {
        Some(line) => Place::Text {
            source: source.clone(),
            span: line_span(&source.text, line),
            field,
        },
        None => Place::Path(source.path.clone()),
    };
    Problem::new(what).at(place).mend(error.mend())
}

/// The bytes of a line, counted from one, without the blanks it begins with.
fn line_span(text: &str, line: usize) -> std::ops::Range<usize> {
    let mut start = 0;
    for (index, part) in text.split_inclusive('\n').enumerate() {
        if index + 1 == line {
            let blanks = part.len() - part.trim_start().len();
            return start + blanks.min(part.trim_end().len())..start + part.trim_end().len();
        }
        start += part.len();
    }
    text.len()..text.len()
}
