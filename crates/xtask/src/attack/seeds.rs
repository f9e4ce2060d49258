//! Sound inputs that attacks begin with: the models of this repository, small ones made for this purpose, and what the command
//! itself says about them. All of it is the same on every machine, but for a corpus where one is given.

use super::evidence::{self, Evidence};
use super::judge::Judge;
use std::path::{Path, PathBuf};

/// Files larger than this are left out: most of an attack would go into reading them.
const LARGEST: usize = 1 << 16;

/// A name relative to the folder of a case, and the bytes.
pub type File = (String, Vec<u8>);

/// A model: its files, what the command is given, and queries about it.
#[derive(Clone)]
pub struct Model {
    pub files: Vec<File>,
    pub given: String,
    pub queries: Vec<String>,
}

pub struct Seeds {
    pub models: Vec<Model>,
    pub graphs: Vec<Model>,
    pub projects: Vec<Model>,
    pub tables: Vec<File>,
    pub evidence: Vec<Evidence>,
}

impl Seeds {
    pub fn read(corpus: Option<&Path>, judge: &Judge, scratch: &Path) -> Result<Seeds, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.join("../..");
        let mut models = Vec::new();
        for folder in
            [here.join("seeds"), root.join("models"), root.join("docs"), root.join("crates/engine/tests/regressions")]
        {
            models.extend(models_of(&folder, judge, scratch)?);
        }
        let own = models.len();
        if let Some(corpus) = corpus {
            models.extend(models_of(corpus, judge, scratch)?);
        }
        let graph = Model {
            files: vec![("graph.aut".to_owned(), read(&here.join("seeds/graph.aut"))?)],
            given: "graph.aut".to_owned(),
            queries: lines(&here.join("seeds/graph.q"))?,
        };
        let mut files = Vec::new();
        for path in files_below(&here.join("seeds/project"), 0)? {
            let name = path.strip_prefix(here.join("seeds")).unwrap_or(&path).display().to_string();
            files.push((name, read(&path)?));
        }
        let questions = [
            "refinement: Machine <= Spec",
            "consistency: Machine && Spec",
            "refinement: Machine || User <= Spec",
            "determinism: User",
            "refinement: Machine <= Spec // User",
            "prune: Spec",
            "get-component: Machine || User",
            "reachability: Machine -> Machine.L1",
        ];
        let project = Model {
            files,
            given: "project".to_owned(),
            queries: questions.iter().map(|&query| query.to_owned()).collect(),
        };
        let sources = models[..own].iter().chain([&project, &graph]);
        let evidence = sources.flat_map(|model| evidence::about(model, judge, scratch)).collect();
        let tables = vec![("curves.csv".to_owned(), read(&here.join("seeds/curves.csv"))?)];
        Ok(Seeds { models, graphs: vec![graph], projects: vec![project], tables, evidence })
    }
}

/// The models below a folder, in the order of their names.
fn models_of(folder: &Path, judge: &Judge, scratch: &Path) -> Result<Vec<Model>, String> {
    let mut models = Vec::new();
    for path in files_below(folder, 0)? {
        let is_model = path.extension().is_some_and(|ending| ["xml", "xta", "ta"].iter().any(|known| ending == *known));
        let Some(ending) = path.extension().filter(|_| is_model) else { continue };
        let given = format!("model.{}", ending.to_string_lossy());
        let bytes = read(&path)?;
        if bytes.len() > LARGEST {
            continue;
        }
        let beside = path.with_extension("q");
        let queries = if beside.is_file() {
            lines(&beside)?
        } else {
            judge.queries(&[(given.clone(), bytes.clone())], &given, scratch)
        };
        models.push(Model { files: vec![(given.clone(), bytes)], given, queries });
    }
    Ok(models)
}

fn files_below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        entries.push(entry.map_err(wrong)?.path());
    }
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        match path.is_dir() {
            true if depth < 8 => files.extend(files_below(&path, depth + 1)?),
            true => {}
            false => files.push(path),
        }
    }
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

/// The lines of a query file that hold queries.
fn lines(path: &Path) -> Result<Vec<String>, String> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    let is_query = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    Ok(text.lines().filter(is_query).map(str::to_owned).collect())
}
