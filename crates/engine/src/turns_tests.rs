use super::*;
use crate::prospects::{News, Prospects};
use std::sync::atomic::AtomicUsize;

fn shared(places: usize, over: Arc<AtomicBool>) -> Arc<Turns> {
    Turns::new(places, (false, 0), Arc::new(AtomicBool::new(true)), over, None)
}

/// As long as the answer is the proof's.
fn unshared(places: usize) -> Arc<Turns> {
    Turns::new(places, (false, 0), Arc::default(), Arc::default(), None)
}

#[test]
fn no_more_run_than_there_are_places_and_all_get_on() {
    let turns = shared(2, Arc::default());
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done: Vec<AtomicUsize> = (0..5).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for done in &done {
            let (turn, running, most) = (turns.of(Role::Walk), &running, &most);
            scope.spawn(move || {
                for _ in 0..20 {
                    turn.look();
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(1));
                    running.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                }
                turn.leave();
            });
        }
    });
    assert_eq!(most.into_inner(), 2);
    assert!(done.into_iter().all(|done| done.into_inner() == 20));
}

#[test]
fn nobody_waits_when_all_is_over() {
    let turns = shared(1, Arc::default());
    turns.of(Role::Walk).look();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| turns.of(Role::Walk).look());
        turns.end();
        assert!(waiting.join().is_ok());
    });
}

/// What each of the roles gets of the places until all is over.
fn spent(turns: &Arc<Turns>, roles: &[Role]) -> Vec<u32> {
    let work = |role: Role| {
        let turn = turns.of(role);
        move || {
            let mut spent = 0;
            while !turn.turns.over.load(Ordering::Relaxed) {
                turn.look();
                std::thread::sleep(Duration::from_millis(1));
                spent += 1;
            }
            spent
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = roles.iter().map(|role| scope.spawn(work(*role))).collect();
        std::thread::sleep(Duration::from_millis(400));
        turns.end();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

#[test]
fn shares_are_kept() {
    let spent = spent(&shared(2, Arc::default()), &[Role::Proof, Role::Walk, Role::Walk]);
    // A quarter for the proof, three for the walks; a busy machine may blur it.
    let total: u32 = spent.iter().sum();
    assert!(spent[0] * 8 > total && spent[0] * 2 < total, "{spent:?}");
    assert!(spent.iter().all(|one| *one * 8 > total), "{spent:?}");
}

#[test]
fn a_proof_keeps_its_place_while_it_may_be_small() {
    let turns = unshared(1);
    turns.of(Role::Proof).look();
    let walks = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            turns.of(Role::Walk).look();
            walks.fetch_add(1, Ordering::SeqCst);
        });
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(1));
            turns.of(Role::Proof).look();
        }
        assert_eq!(walks.load(Ordering::SeqCst), 0);
        turns.end();
    });
}

#[test]
fn a_greedy_search_that_has_just_come_is_let_in_at_once() {
    let turns = unshared(1);
    turns.of(Role::Proof).look();
    let came = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            turns.of(Role::Greedy).look();
            came.store(true, Ordering::SeqCst);
        });
        while !came.load(Ordering::SeqCst) {
            turns.of(Role::Proof).look();
        }
    });
    turns.of(Role::Proof).leave();
}

#[test]
fn walks_have_half_of_the_places_for_themselves() {
    let turns = shared(2, Arc::default());
    turns.of(Role::Walk).look();
    std::thread::scope(|scope| {
        let searches = [Role::Proof, Role::Greedy].map(|role| {
            let turn = turns.of(role);
            scope.spawn(move || turn.look())
        });
        for _ in 0..20 {
            std::thread::sleep(SHORTEST_SLICE);
            turns.of(Role::Walk).look();
            let line = turns.lock();
            assert!(line.walking == 1 && line.searching <= 1);
        }
        turns.end();
        searches.into_iter().for_each(|search| search.join().unwrap());
    });
    turns.of(Role::Walk).leave();
}

#[test]
fn what_is_found_while_the_proof_is_small_is_held_back_and_stops_the_others() {
    let turns = unshared(2);
    turns.of(Role::Proof).look();
    let (told, stopped) = (AtomicBool::new(false), AtomicBool::new(true));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let turn = turns.of(Role::Walk);
            turn.look();
            turn.wait_until_shared();
            told.store(true, Ordering::SeqCst);
            turns.end();
        });
        while !turns.is_held.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        scope.spawn(|| {
            turns.of(Role::Walk).look();
            stopped.store(turns.over.load(Ordering::SeqCst), Ordering::SeqCst);
        });
        std::thread::sleep(Duration::from_millis(30));
        assert!(!told.load(Ordering::SeqCst));
        turns.is_shared.store(true, Ordering::SeqCst);
        turns.of(Role::Proof).share();
        assert!(told.load(Ordering::SeqCst), "who has an answer tells it before the proof goes on");
    });
    assert!(stopped.into_inner());
}

#[test]
fn what_is_there_at_once_costs_nothing() {
    let (turns, ms) = (shared(2, Arc::default()), Duration::from_millis);
    let mut line = turns.lock();
    let mut progress = |role: Role, spent| {
        line.accounts[role as usize].spent = spent;
        turns.progress(&line, role)
    };
    for role in [Role::Proof, Role::Greedy] {
        assert_eq!(progress(role, ms(1)), Duration::ZERO, "{role:?}");
    }
    assert_eq!(progress(Role::Deep, ms(9)), DEEP + ms(3));
    assert_eq!(progress(Role::Deep, DEEP_ENOUGH + ms(3)), DEEP + DEEP_ENOUGH / 3 + ms(1) + ms(24));
    assert_eq!(progress(Role::Walk, ms(5)), ms(1));
    let prospects = Some(Prospects { first: 1, least: 1, narrow: false });
    line.accounts[Role::Greedy as usize].prospects = prospects;
    line.accounts[Role::Deep as usize].spent = ms(9);
    assert_eq!(turns.progress(&line, Role::Deep), DEEP + ms(9), "where the greedy search is blind");
    line.accounts[Role::Walk as usize].spent = WALK_ENOUGH + ms(10);
    assert_eq!(turns.progress(&line, Role::Walk), (WALK_ENOUGH / 2 + ms(10)) / 5);
}

#[test]
fn in_a_very_large_network_soundings_come_before_what_follows_a_heuristic() {
    use Role::{Greedy, Narrow};
    // Role, whether a proof is expected, edges: whether it comes first before there were soundings, and afterwards.
    let cases = [
        (Narrow, false, WIDE - 1, false, false),
        (Narrow, false, WIDE, true, true),
        (Narrow, false, VERY_LARGE, false, true),
        (Greedy, false, WIDE - 1, true, true),
        (Greedy, false, VERY_LARGE, false, true),
        // Where a proof is expected there are none.
        (Narrow, true, VERY_LARGE, true, true),
        (Greedy, true, VERY_LARGE, true, true),
    ];
    for (role, expects_proof, edges, before, after) in cases {
        let turns = Turns::new(2, (expects_proof, edges), Arc::default(), Arc::default(), None);
        let near = Some(Prospects { first: 5, least: 4, narrow: false });
        turns.lock().accounts[Greedy as usize].prospects = near;
        let comes_first = || !turns.place(&turns.lock(), role).0;
        assert_eq!(comes_first(), before, "{role:?} {expects_proof} {edges}");
        turns.of(Role::Proof).sounded();
        assert_eq!(comes_first(), after, "{role:?} {expects_proof} {edges}");
    }
}

#[test]
fn walks_that_split_have_some_milliseconds_after_deep_random_search_where_the_greedy_one_is_stuck() {
    let (turns, ms) = (shared(2, Arc::default()), Duration::from_millis);
    let blind = Some(Prospects { first: 1, least: 1, narrow: false });
    let near = Some(Prospects { first: 5, least: 4, narrow: false });
    // The greedy search, when it came as near as it is in its 8 ms, what they and deep random search have had: which of them is further.
    let cases = [
        (near, ms(1), ms(0), ms(9), Role::Split),
        (near, ms(1), ms(0), DEEP_ENOUGH, Role::Deep),
        (near, ms(1), SPLIT_ENOUGH, DEEP_ENOUGH + ms(1), Role::Deep),
        (near, ms(1), SPLIT_ENOUGH + ms(2), DEEP_ENOUGH, Role::Split),
        (near, ms(2), ms(0), DEEP_ENOUGH, Role::Split),
        (None, ms(0), ms(0), DEEP_ENOUGH, Role::Split),
        (blind, ms(0), ms(0), DEEP_ENOUGH, Role::Split),
    ];
    for (prospects, nearer, split, deep, further) in cases {
        let mut line = turns.lock();
        line.accounts[Role::Greedy as usize] = Account { spent: ms(8), nearer, prospects, ..Account::default() };
        line.accounts[Role::Split as usize].spent = split;
        line.accounts[Role::Deep as usize].spent = deep;
        let is_split = turns.progress(&line, Role::Split) > turns.progress(&line, Role::Deep);
        assert_eq!(is_split, further == Role::Split, "{prospects:?} {split:?} {deep:?}");
    }
}

#[test]
fn walks_by_channels_come_first_where_nobody_else_knows_the_way() {
    let (turns, ms) = (shared(2, Arc::default()), Duration::from_millis);
    let blind = Some(Prospects { first: 1, least: 1, narrow: false });
    let near = Some(Prospects { first: 5, least: 4, narrow: false });
    // The greedy search, whether the proof grows, what they have had: whether they come first, and how far they are.
    let cases = [
        (blind, true, ms(0), true, LATER),
        (blind, true, CHANNELS_ENOUGH, false, LATER),
        (blind, true, CHANNELS_ENOUGH + ms(1), false, LATER + ms(12)),
        (blind, false, ms(1), false, LATER),
        (near, true, ms(1), false, LATER + ms(12)),
        (None, true, ms(1), false, LATER + ms(12)),
    ];
    for (prospects, grows, spent, first, progress) in cases {
        let mut line = turns.lock();
        line.accounts[Role::Greedy as usize].prospects = prospects;
        line.accounts[Role::Proof as usize].grows = grows;
        line.accounts[Role::Channels as usize].spent = spent;
        assert_eq!(turns.place(&line, Role::Channels), (!first, progress), "{prospects:?} {grows} {spent:?}");
    }
}

#[test]
fn walks_may_have_all_places_later_or_when_nobody_else_wants_them() {
    for (places, at_first) in [(1, 1), (2, 1), (4, 2), (5, 2)] {
        let turns = shared(places, Arc::default());
        let most = || {
            let mut line = turns.lock();
            let most = (0..places).find(|n| {
                line.walking = *n;
                !turns.may_have_one_more(&line, Role::Walk)
            });
            line.walking = 0;
            most.unwrap_or(places)
        };
        assert_eq!(most(), places, "alone");
        turns.lock().searching = 1;
        assert_eq!(most(), at_first);
        std::thread::sleep(SOON);
        let greedy = Role::Greedy as usize;
        let blind = Some(Prospects { first: 1, least: 1, narrow: false });
        turns.lock().accounts[greedy].prospects = blind;
        assert_eq!(most(), places, "the greedy search is blind");
        turns.lock().accounts[greedy].prospects = None;
        std::thread::sleep(LATER);
        assert_eq!(most(), places);
    }
}

#[test]
fn a_walk_that_has_found_something_waits_for_no_place() {
    let turns = shared(1, Arc::default());
    turns.of(Role::Proof).look();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            turns.of(Role::Walk).look();
            let _ = tell.send(());
        });
        assert!(told.recv_timeout(Duration::from_millis(30)).is_err());
        scope.spawn(|| turns.of(Role::Walk).hurry());
        assert!(told.recv_timeout(Duration::from_secs(10)).is_ok());
        turns.end();
    });
}

#[test]
fn one_works_out_its_answer_at_a_time() {
    let turns = shared(2, Arc::default());
    let first = turns.of(Role::Greedy).conclude();
    assert!(first.is_some());
    std::thread::scope(|scope| {
        let second = scope.spawn(|| turns.of(Role::Walk).conclude());
        std::thread::sleep(Duration::from_millis(30));
        assert!(!second.is_finished());
        // It has failed.
        drop(first);
        let second = second.join().unwrap().unwrap();
        let third = scope.spawn(|| turns.of(Role::Proof).conclude());
        second.keep();
        std::thread::sleep(Duration::from_millis(30));
        assert!(!third.is_finished());
        turns.end();
        assert!(third.join().unwrap().is_none());
    });
}

#[test]
fn who_works_out_an_answer_has_a_place_and_another_gives_way() {
    let turns = shared(1, Arc::default());
    let (is_back, answer) = (AtomicBool::new(false), turns.of(Role::Walk));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let proof = turns.of(Role::Proof);
            proof.look();
            while turns.lock().free == 0 {
                std::thread::yield_now();
            }
            std::thread::sleep(SHORTEST_SLICE);
            proof.look();
            is_back.store(true, Ordering::SeqCst);
            proof.leave();
        });
        while turns.lock().free > 0 {
            std::thread::yield_now();
        }
        let conclusion = answer.conclude();
        std::thread::sleep(Duration::from_millis(30));
        assert!(!is_back.load(Ordering::SeqCst));
        // It has failed.
        drop(conclusion);
        answer.leave();
    });
    assert!(is_back.into_inner());
    assert_eq!(turns.lock().free, 1);
}

#[test]
fn a_small_proof_need_not_wait_for_what_is_held_back() {
    let turns = unshared(2);
    turns.of(Role::Walk).conclude().unwrap().keep();
    assert!(turns.of(Role::Proof).conclude().is_some());
}

#[test]
fn what_is_to_be_hoped_for_is_heard_though_others_look_more_often() {
    let turns = shared(1, Arc::default());
    let turn = turns.of(Role::Greedy);
    let prospects = Prospects { first: 3, least: 2, narrow: false };
    let known = || turns.lock().accounts[Role::Greedy as usize].prospects;
    turn.look();
    let news = |prospects| News { grows: false, prospects: Some(prospects) };
    turn.look_with(|| news(prospects));
    assert_eq!(known(), Some(prospects));
    let nearer = Prospects { least: 1, ..prospects };
    turn.look_with(|| news(nearer));
    assert_eq!(known(), Some(prospects), "once a slice is enough");
    std::thread::sleep(SHORTEST_SLICE * 2);
    turn.look();
    turn.look_with(|| news(nearer));
    assert_eq!(known(), Some(nearer));
    turn.leave();
}
