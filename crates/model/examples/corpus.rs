use std::path::Path;
fn walk(p: &Path, out: &mut Vec<std::path::PathBuf>) {
    for e in std::fs::read_dir(p).unwrap() {
        let e = e.unwrap().path();
        if e.is_dir() { walk(&e, out) } else { out.push(e) }
    }
}
fn main() {
    let root = std::env::args().nth(1).unwrap();
    let mut files = vec![];
    let p = Path::new(&root);
    if p.is_dir() {
        walk(p, &mut files)
    } else {
        files.push(p.to_owned())
    }
    files.sort();
    let (mut ok, mut bad, mut qok, mut qbad) = (0, 0, 0, 0);
    for f in files {
        if !matches!(f.extension().and_then(|e| e.to_str()), Some("xml" | "xta" | "ta")) {
            continue;
        }
        let t = std::time::Instant::now();
        let mut l = model::load::load(&f, &[]);
        let dt = t.elapsed();
        if dt.as_millis() > 200 {
            println!("SLOW {} {:?}", f.display(), dt)
        }
        let show = |s: &model::source::Sources, d: &model::diagnostic::Diagnostic| {
            let (line, raw) = d.span.map_or((0, String::new()), |sp| {
                let lc = s.line_column(sp.file, sp.start);
                (lc.line, s.raw(sp).chars().take(60).collect())
            });
            println!(
                "   {} {}:{} `{}` {:?}",
                d.code.0,
                line,
                d.message,
                raw,
                d.notes.iter().map(|n| &n.text).collect::<Vec<_>>()
            );
        };
        if l.model.is_none() {
            bad += 1;
            println!("FAIL {}", f.display());
            for d in l.diagnostics.iter().filter(|d| d.is_error()).take(4) {
                show(&l.sources, d)
            }
        } else {
            ok += 1
        }
        if std::env::var("WARN").is_ok() {
            for d in l.diagnostics.iter().filter(|d| !d.is_error()) {
                show(&l.sources, d)
            }
        }
        if let Some(m) = &mut l.model {
            let mut qs = m.queries.clone();
            let q = f.with_extension("q");
            if q.exists() {
                let mut d = Default::default();
                qs.extend(model::load::query_file(&mut l.sources, &q, &mut d).unwrap_or_default());
                for d in d.iter() {
                    show(&l.sources, d)
                }
            }
            for q in &qs {
                let r = m.query(q);
                if r.query.is_some() {
                    qok += 1
                } else if !r.diagnostics.is_empty() {
                    qbad += 1;
                    println!("QFAIL {} :: {}", f.display(), r.text);
                    for d in r.diagnostics.iter() {
                        show(&l.sources, d)
                    }
                }
            }
        }
    }
    println!("ok {ok} bad {bad} queries ok {qok} bad {qbad}");
}
