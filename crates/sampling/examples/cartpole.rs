//! How often a pole on a cart falls within 10 time units when the cart is pushed at random, by four
//! ways to solve the differential equation and four lengths of their steps. It tells how far the
//! mean depends on the integration alone (docs/measurements-statistics.md); nothing of the
//! statistical engine is used but its random numbers.

use search::random::Random;

const RUNS: u32 = 20_000;
const CHOICES: u32 = 500;
const DELAY: f64 = 0.02;

#[derive(Clone, Copy)]
struct Cart {
    position: f64,
    velocity: f64,
    angle: f64,
    spin: f64,
    force: f64,
}

impl Cart {
    fn new(random: &mut Random, force: f64) -> Cart {
        let mut small = || random.index(1 << 30) as f64 / f64::from(1 << 30) / 10.0 - 0.05;
        Cart { position: small(), velocity: small(), angle: small(), spin: small(), force }
    }

    /// How velocity and spin change.
    fn pulls(&self) -> (f64, f64) {
        let push = (self.force + 0.05 * self.spin.powi(2) * self.angle.sin()) / 1.1;
        let turn = (9.8 * self.angle.sin() - self.angle.cos() * push)
            / (0.5 * (4.0 / 3.0 - 0.1 * self.angle.cos().powi(2) / 1.1));
        (push - 0.05 * turn * self.angle.cos() / 1.1, turn)
    }

    fn has_fallen(&self) -> bool {
        self.position.abs() > 2.4 || self.angle.abs() > 24.0_f64.to_radians() / 2.0
    }
}

type Step = fn(&mut Cart, f64);

fn euler(cart: &mut Cart, time: f64) {
    let (pull, turn) = cart.pulls();
    cart.position += time * cart.velocity;
    cart.angle += time * cart.spin;
    cart.velocity += time * pull;
    cart.spin += time * turn;
}

fn positions_first(cart: &mut Cart, time: f64) {
    cart.position += time * cart.velocity;
    cart.angle += time * cart.spin;
    let (pull, turn) = cart.pulls();
    cart.velocity += time * pull;
    cart.spin += time * turn;
}

fn velocities_first(cart: &mut Cart, time: f64) {
    let (pull, turn) = cart.pulls();
    cart.velocity += time * pull;
    cart.spin += time * turn;
    cart.position += time * cart.velocity;
    cart.angle += time * cart.spin;
}

fn midpoint(cart: &mut Cart, time: f64) {
    let mut middle = *cart;
    euler(&mut middle, time / 2.0);
    let (pull, turn) = middle.pulls();
    cart.position += time * middle.velocity;
    cart.angle += time * middle.spin;
    cart.velocity += time * pull;
    cart.spin += time * turn;
}

fn falls(random: &mut Random, step: Step, parts: u32) -> u32 {
    let mut cart = Cart::new(random, 0.0);
    let mut falls = 0;
    for _ in 0..CHOICES {
        (0..parts).for_each(|_| step(&mut cart, DELAY / f64::from(parts)));
        cart.force = if random.index(2) == 0 { 10.0 } else { -10.0 };
        if cart.has_fallen() {
            falls += 1;
            cart = Cart::new(random, cart.force);
        }
    }
    falls
}

fn main() {
    let ways: [(&str, Step); 4] = [
        ("Euler", euler),
        ("Euler, positions first", positions_first),
        ("Euler, velocities first", velocities_first),
        ("midpoint", midpoint),
    ];
    println!("| method | steps of 0.02 | 0.01 | 0.005 | 0.001 |\n| --- | ---: | ---: | ---: | ---: |");
    for (name, step) in ways {
        let means = [1, 2, 4, 20].map(|parts| {
            let mut random = Random::new(1);
            let total: u64 = (0..RUNS).map(|_| u64::from(falls(&mut random, step, parts))).sum();
            format!("{:.2}", total as f64 / f64::from(RUNS))
        });
        println!("| {name} | {} |", means.join(" | "));
    }
}
