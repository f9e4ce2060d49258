//! What keeps an engine from running a model, and where it stands.

use model::load::load_bytes;
use model::network::Engine;

#[test]
fn what_only_statistics_can_compute() {
    // Labels of an edge; what the symbolic engine cannot do, by place and reason.
    let rows: &[(&str, &[&str])] = &[
        ("assign i = root(26);", &["i = root(26): a floating-point value flows into the discrete state"]),
        ("assign i = fint(d);", &["i = fint(d): a floating-point value flows into the discrete state"]),
        ("guard d > 1.0;", &["d > 1.0: a floating-point value decides what happens"]),
        ("guard root(i) > 1;", &["sqrt(n): a floating-point value decides what happens"]),
        // What stays among doubles decides nothing.
        ("assign d = sqrt(i) + 1;", &[]),
        ("assign d = i;", &[]),
        ("guard abs(i) > 1; assign i = abs(i);", &[]),
    ];
    for (labels, expected) in rows {
        let source = format!(
            "int i; double d; int root(int n) {{ return fint(sqrt(n)); }}
            process P() {{ state A; init A; trans A -> A {{ {labels} }}; }} system P;"
        );
        let loaded = load_bytes("model.xta", source.as_bytes(), &[]);
        let model = loaded.model.as_ref().unwrap_or_else(|| panic!("{labels}: {:?}", loaded.diagnostics));
        let place = |span: Option<_>| span.map_or("", |span| loaded.sources.raw(span));
        for engine in [Engine::Symbolic, Engine::Concrete] {
            let obstacles = model.network().fitness.of(engine);
            let found: Vec<String> = obstacles.map(|one| format!("{}: {}", place(one.span), one.reason)).collect();
            assert_eq!(found, *expected, "{labels}");
        }
        assert!(model.network().fitness.allows(Engine::Statistical), "{labels}");
    }
}
