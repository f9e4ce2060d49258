//! What a rich model becomes: its cells with names, ranges and initial values, its processes with what they are bound to.

use model::load::load_bytes;
use model::network::{
    ChannelId, ClockId, ClockInitial, Network, Passing, Process, ReferenceStore, Template, Type, Variable,
};

const MODEL: &str = r#"
    const int N = 2;
    typedef int[0,N-1] id_t;
    typedef struct { int[1,9] level; clock since; bool seen[2]; } room_t;
    room_t rooms[id_t];
    int grid[2][int[5,6]] = { {1, 2}, {-3, 3} };
    bool flag = true;
    clock now = 4;
    double heat = 1.5;
    meta int[0,7] scratch = 6;
    chan go[2], stop;
    urgent broadcast chan all;
    const room_t fixed = { 3, 0, {true, false} };
    int counter = fixed.level + N;
    typedef scalar[3] S;
    S who;

    int doubled(int i) { return 2 * i; }

    process Worker(const id_t id, int &out, const int &limit, chan &signal) {
        const int step = id + 10;
        const int table[2] = { step, doubled(step) };
        int[0,99] mine = table[1];
        clock x[2];
        struct { int a; double d; } pair = { id, 2.5 };
        urgent chan inner;
        state Idle { x[id] <= limit }, Busy;
        urgent Busy;
        init Idle;
        trans Idle -> Busy { select k : id_t, b : int[3,4]; guard mine > k; sync signal!; assign out = b; },
              Busy -> Idle { };
    }

    process Sized(const int n, int start) {
        int cells[n];
        state A; init A;
        trans A -> A { assign start = start + 1; };
    }

    Half(const id_t i, int &o) = Worker(i, o, 5 + i, go[i]);
    Left = Half(0, counter);
    Right(const id_t j) = Half(j, grid[1][5 + j]);
    Small = Sized(1, 7);
    Large = Sized(3, 8);
    system Left, Right < Small, Large;
"#;

fn network(check: impl FnOnce(&Network)) {
    let loaded = load_bytes("layout.xta", MODEL.as_bytes(), &[]);
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    check(model.network());
}

/// Every integer cell as `name: range = initial value`.
fn ints(network: &Network) -> Vec<String> {
    let cell = |(n, cell): (usize, &model::network::IntCell)| {
        let meta = if cell.meta { " meta" } else { "" };
        format!("{}: {} = {}{meta}", network.int_name(n), cell.range, cell.initial)
    };
    network.ints.iter().enumerate().map(cell).collect()
}

#[test]
fn integers() {
    network(|network| {
        assert_eq!(
            ints(network),
            [
                "rooms[0].level: [1,9] = 1",
                "rooms[0].seen[0]: [0,1] = 0",
                "rooms[0].seen[1]: [0,1] = 0",
                "rooms[1].level: [1,9] = 1",
                "rooms[1].seen[0]: [0,1] = 0",
                "rooms[1].seen[1]: [0,1] = 0",
                "grid[0][5]: [-32768,32767] = 1",
                "grid[0][6]: [-32768,32767] = 2",
                "grid[1][5]: [-32768,32767] = -3",
                "grid[1][6]: [-32768,32767] = 3",
                "flag: [0,1] = 1",
                "scratch: [0,7] = 6 meta",
                "counter: [-32768,32767] = 5",
                "who: [0,2] = 0",
                "Left.mine: [0,99] = 20",
                "Left.pair.a: [-32768,32767] = 0",
                "Right(0).mine: [0,99] = 20",
                "Right(0).pair.a: [-32768,32767] = 0",
                "Right(1).mine: [0,99] = 22",
                "Right(1).pair.a: [-32768,32767] = 1",
                "Small.start: [-32768,32767] = 7",
                "Small.cells[0]: [-32768,32767] = 0",
                "Large.start: [-32768,32767] = 8",
                "Large.cells[0]: [-32768,32767] = 0",
                "Large.cells[1]: [-32768,32767] = 0",
                "Large.cells[2]: [-32768,32767] = 0",
            ]
        );
        assert!(network.ints.iter().all(|cell| cell.range.contains(cell.initial)));
    });
}

#[test]
fn clocks_channels_and_doubles() {
    network(|network| {
        let clocks: Vec<String> = (0..network.clocks.len())
            .map(|n| match network.clocks[n].initial {
                ClockInitial::Int(value) => format!("{} = {value}", network.clock_name(ClockId::new(n))),
                ClockInitial::Double(value) => format!("{} = {value:?}", network.clock_name(ClockId::new(n))),
            })
            .collect();
        assert_eq!(
            clocks,
            [
                "rooms[0].since = 0",
                "rooms[1].since = 0",
                "now = 4",
                "Left.x[0] = 0",
                "Left.x[1] = 0",
                "Right(0).x[0] = 0",
                "Right(0).x[1] = 0",
                "Right(1).x[0] = 0",
                "Right(1).x[1] = 0",
            ]
        );
        let channels: Vec<String> = (0..network.channels.len())
            .map(|n| {
                let kind = network.channels[n].kind;
                let name = network.channel_name(ChannelId::new(n));
                format!("{name} {}{}", if kind.urgent { "u" } else { "" }, if kind.broadcast { "b" } else { "" })
            })
            .collect();
        let expected = ["go[0] ", "go[1] ", "stop ", "all ub", "Left.inner u", "Right(0).inner u", "Right(1).inner u"];
        assert_eq!(channels, expected);
        let doubles: Vec<String> = network
            .doubles
            .iter()
            .enumerate()
            .map(|(n, value)| format!("{} = {value}", network.double_name(n)))
            .collect();
        assert_eq!(doubles, ["heat = 1.5", "Left.pair.d = 2.5", "Right(0).pair.d = 2.5", "Right(1).pair.d = 2.5"]);
    });
}

fn names<'a>(variables: impl IntoIterator<Item = &'a Variable>) -> Vec<String> {
    variables.into_iter().map(|variable| format!("{} {}", variable.ty, variable.name)).collect()
}

#[test]
fn templates_are_kept_once_per_form() {
    network(|network| {
        let rows: Vec<(&str, usize)> =
            network.templates.iter().map(|template| (&*template.name, template.variables.len())).collect();
        assert_eq!(rows, [("Worker", 4), ("Sized", 2), ("Sized", 2)]);
        let worker = &network.templates[0];
        let constants = ["int[0,1] id", "int step", "int[2] table"];
        assert_eq!(names(&worker.constants), constants);
        assert_eq!(
            names(&worker.variables),
            ["int[0,99] mine", "clock[2] x", "struct { int a; double d; } pair", "urgent chan inner"]
        );
        let passing: Vec<bool> =
            worker.parameters.iter().map(|parameter| matches!(parameter.passing, Passing::Value(_))).collect();
        assert_eq!(passing, [true, false, false, false]);
        // The order of selects: the first one outermost.
        let leaving: Vec<Vec<i32>> =
            worker.leaving(worker.initial).iter().map(|expanded| worker.select_values(*expanded).to_vec()).collect();
        assert_eq!(leaving, [[0, 3], [0, 4], [1, 3], [1, 4]]);
        let cells = |template: &Template| match &template.variables[1].ty {
            Type::Array(array) => array.index.count(),
            _ => 0,
        };
        assert_eq!((cells(&network.templates[1]), cells(&network.templates[2])), (1, 3));
    });
}

/// The constants of a process, its value parameters first.
fn constants(network: &Network, process: &Process) -> Vec<i32> {
    let first = process.constants.ints as usize;
    network.constants.ints[first..first + network.template(process.template).constant_cells.ints as usize].to_vec()
}

#[test]
fn processes_and_their_parameters() {
    network(|network| {
        let names: Vec<&str> = network.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(names, ["Left", "Right(0)", "Right(1)", "Small", "Large"]);
        let priorities: Vec<u32> = network.processes.iter().map(|process| process.priority).collect();
        assert_eq!(priorities, [0, 0, 0, 1, 1]);
        let sets: Vec<(&str, usize, u32)> =
            network.sets.iter().map(|set| (&*set.name, set.first.index(), set.len)).collect();
        assert_eq!(sets, [("Left", 0, 1), ("Right", 1, 2), ("Small", 3, 1), ("Large", 4, 1)]);
        let [left, first, second, small, large] = network.processes.as_slice() else { panic!("five processes") };
        assert_eq!(constants(network, left), [0, 10, 10, 20]);
        assert_eq!(constants(network, first), [0, 10, 10, 20]);
        assert_eq!(constants(network, second), [1, 11, 11, 22]);
        assert_eq!(constants(network, small), [1, 7]);
        assert_eq!(constants(network, large), [3, 8]);
        // `out`, `limit` and `signal`
        let bound = |process: &Process| {
            let [out, limit, signal] = process.references.as_slice() else { panic!("three references") };
            assert_eq!((out.store, signal.store), (ReferenceStore::State, ReferenceStore::State));
            assert_eq!(limit.store, ReferenceStore::Constants);
            let name = network.int_name(out.offset.ints as usize);
            let channel = network.channel_name(ChannelId::new(signal.offset.channels as usize));
            (name, network.constants.ints[limit.offset.ints as usize], channel)
        };
        assert_eq!(bound(left), ("counter".to_owned(), 5, "go[0]".to_owned()));
        assert_eq!(bound(first), ("grid[1][5]".to_owned(), 5, "go[0]".to_owned()));
        assert_eq!(bound(second), ("grid[1][6]".to_owned(), 6, "go[1]".to_owned()));
    });
}

#[test]
fn constants_can_be_given_other_values() {
    let overrides = [model::check::Override::parse("N=3").expect("an override")];
    let source = MODEL.replace("grid[1][5 + j]", "counter");
    let source = source.replace("chan go[2], stop", "chan go[3], stop").replace("clock x[2]", "clock x[3]");
    let loaded = load_bytes("layout.xta", source.as_bytes(), &overrides);
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let names: Vec<&str> = model.network().processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!(names, ["Left", "Right(0)", "Right(1)", "Right(2)", "Small", "Large"]);
    let cells = ints(model.network());
    assert!(
        cells.contains(&"rooms[2].level: [1,9] = 1".to_owned())
            && cells.contains(&"counter: [-32768,32767] = 6".to_owned())
    );
}
