//! Traces and certificates as files: what is written is read again, and bad text is refused with a reason.

mod common;

use certify::{Certificate, Literal, Reason, Trace, check_certificate, record, replay};
use common::{model, predicates, run, word};

const TRAIN: &str = "chan appr[2]; clock x; int n; process Train(const int[0,1] id) { state Safe, Appr {x <= 20}, Gone; branchpoint f; init Safe;
    trans Safe -> Appr {sync appr[id]!; assign x = 0;}, Appr -> f {select k : int[3,4]; guard x >= k;}, f -> Safe {}, f -> Gone {assign n = 1;}; }
    process Gate() { state Free; init Free; trans Free -> Free {select e : int[0,1]; sync appr[e]?;}; } system Train, Gate;";

const STEPS: &str = "3/2: Train(0).0 + Gate.0[0]; 7/2: Train(0).1[3]/1; 1/4";

fn written() -> String {
    let model = model(TRAIN);
    let run = run(model.network(), STEPS);
    serde_json::to_string(&record(model.network(), &run, None).unwrap().trace).unwrap()
}

#[test]
fn a_trace_is_written_as_the_contract_says() {
    let expected = r#"{"schema":"zonewalk.trace/1","steps":[
        {"delay":"3/2","time":"3/2","action":"appr[0]","edges":[
            {"process":"Train(0)","from":"Safe","to":"Appr","edge":0},
            {"process":"Gate","from":"Free","to":"Free","edge":0,"select":[0]}]},
        {"delay":"7/2","time":"5","action":"tau","edges":[
            {"process":"Train(0)","from":"Appr","to":"Gone","edge":1,"select":[3],"branch":1}]}],
        "final_delay":"1/4","ending":"open"}"#;
    let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
    let found: serde_json::Value = serde_json::from_str(&written()).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn a_trace_is_read_as_it_was_written() {
    let model = model(TRAIN);
    let read = Trace::parse(&written()).unwrap().run(model.network()).unwrap();
    assert_eq!(read, run(model.network(), STEPS));
}

#[test]
fn every_ending_is_read() {
    let model = model(TRAIN);
    for (text, word) in [("\"idle\"", "ok"), ("\"stuck\"", "NotStuck"), ("{\"lasso\":0}", "NotALasso")] {
        let text = format!(r#"{{"schema":"zonewalk.trace/1","steps":[],"ending":{text}}}"#);
        let run = Trace::parse(&text).unwrap().run(model.network()).unwrap();
        assert_eq!(common::word(replay(model.network(), &run)), word);
    }
}

#[test]
fn bad_traces_are_refused_in_their_step() {
    let model = model(TRAIN);
    let rows = [
        ("Train(0)\",\"from\":\"Appr", "Train(7)\",\"from\":\"Appr", Some(1), "UnknownProcess"),
        ("\"edge\":1", "\"edge\":99", Some(1), "UnknownEdge"),
        ("\"branch\":1", "\"branch\":7", Some(1), "UnknownBranch"),
        ("\"to\":\"Gone\"", "\"to\":\"Safe\"", Some(1), "Malformed"),
        ("\"time\":\"5\"", "\"time\":\"6\"", Some(1), "Malformed"),
        ("\"delay\":\"3/2\"", "\"delay\":\"3/0\"", Some(0), "Malformed"),
        ("\"delay\":\"3/2\"", "\"delay\":\"1.5\"", Some(0), "Malformed"),
        ("\"final_delay\":\"1/4\"", "\"final_delay\":\"soon\"", None, "Malformed"),
        ("zonewalk.trace/1", "zonewalk.trace/9", None, "Malformed"),
        ("\"edge\":0", "\"edge\":-1", None, "Malformed"),
        ("\"ending\":\"open\"", "\"ending\":\"never\"", None, "Malformed"),
        ("{\"schema\"", "[\"schema\"", None, "Malformed"),
    ];
    for (from, to, step, expected) in rows {
        let text = written().replacen(from, to, 1);
        assert_ne!(text, written(), "{from}");
        let result = Trace::parse(&text).and_then(|trace| trace.run(model.network()));
        assert_eq!(result.as_ref().err().and_then(|refusal| refusal.step), step, "{to}");
        assert_eq!(word(result), expected, "{to}");
    }
    let text = written();
    for end in 0..text.len() {
        assert!(Trace::parse(&text[..end]).is_err());
    }
    assert!(Trace::parse(&"[".repeat(100_000)).is_err());
}

const ROOM: &str = "clock x; process P() { state a {x <= 5}, b; init a; trans a -> b {guard x >= 3;}; } system P;";
const CERTIFICATE: &str = r#"{"schema":"zonewalk.certificate/1","processes":["P"],"clocks":["x"],"ints":0,"states":[
    {"locations":[0],"ints":[],"zones":[{"clocks":[0],"bounds":[1,1,11,1]}]},
    {"locations":[1],"ints":[],"zones":[{"clocks":[0],"bounds":[1,-5,null,1]}]}]}"#;

#[test]
fn certificates_written_by_hand() {
    let rows = [
        ("", "", "ok"),
        // A bound that is too tight, too loose, strict instead of not.
        ("[1,-5,null,1]", "[1,-7,null,1]", "SuccessorNotCovered"),
        ("[1,-5,null,1]", "[1,-3,null,1]", "GoalInside"),
        ("[1,-5,null,1]", "[1,-6,null,1]", "SuccessorNotCovered"),
        ("[1,-5,null,1]", "[1,-5,101,1]", "SuccessorNotCovered"),
        ("[1,1,11,1]", "[1,1,9,1]", "InitialNotCovered"),
        ("[1,1,11,1]", "[1,0,11,1]", "InitialNotCovered"),
        // A larger zone is as good, and so is one without the clock.
        ("[1,1,11,1]", "[1,1,null,1]", "ok"),
        ("{\"clocks\":[0],\"bounds\":[1,1,11,1]}", "{\"clocks\":[],\"bounds\":[1]}", "ok"),
        // Empty zones cover nothing.
        ("[1,1,11,1]", "[1,1,11,0]", "InitialNotCovered"),
        ("[1,1,11,1]", "[1,-21,11,1]", "InitialNotCovered"),
        ("\"locations\":[1]", "\"locations\":[0]", "SuccessorNotCovered"),
        // What does not fit the network.
        ("\"locations\":[1]", "\"locations\":[2]", "Malformed"),
        ("\"locations\":[1]", "\"locations\":[1,1]", "Malformed"),
        ("\"ints\":[]", "\"ints\":[0]", "Malformed"),
        ("\"clocks\":[0]", "\"clocks\":[1]", "Malformed"),
        ("\"clocks\":[0]", "\"clocks\":[0,0]", "Malformed"),
        ("[1,1,11,1]", "[1,1,11]", "Malformed"),
        ("[1,1,11,1]", "[1,1,9223372036854775807,1]", "Malformed"),
        ("[1,1,11,1]", "[1,1,-9223372036854775808,1]", "Malformed"),
        ("\"processes\":[\"P\"]", "\"processes\":[\"Q\"]", "Malformed"),
        ("\"clocks\":[\"x\"]", "\"clocks\":[\"y\"]", "Malformed"),
        ("certificate/1", "certificate/2", "Malformed"),
        ("{\"schema\"", "", "Malformed"),
    ];
    let model = model(ROOM);
    let (found, network) = predicates(&model, "E<> P.b && x < 3");
    let goal = Literal::is(found[0]);
    for (from, to, expected) in rows {
        let text = CERTIFICATE.replacen(from, to, 1);
        let certificate = Certificate::from_json(&network, &text);
        let result = certificate.and_then(|certificate| check_certificate(&network, &certificate, goal));
        assert_eq!(word(result), expected, "{to}");
    }
    assert_eq!(word(check_certificate(&network, &Certificate::default(), goal)), "InitialNotCovered");
    let (found, network) = predicates(&model, "E<> P.b");
    let certificate = Certificate::from_json(&network, CERTIFICATE).unwrap();
    let refusal = check_certificate(&network, &certificate, Literal::is(found[0])).unwrap_err();
    assert_eq!(refusal.reason, Reason::GoalInside);
}
