//! Inputs and outputs of systems, and which combinations of systems there are.
//!
//! The rules are those of Goorden, Larsen, Legay, Lorber, Nyman and Wąsowski, "Timed I/O automata:
//! it is never too late to complete your timed specification theory" (2023).

use crate::error::Unfit;

/// Actions, ascending.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Alphabet {
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().filter(|action| b.binary_search(action).is_ok()).copied().collect()
}

fn without(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().filter(|action| b.binary_search(action).is_err()).copied().collect()
}

/// Actions as a list.
pub fn named(actions: &[u32], name: &dyn Fn(u32) -> String) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = actions.iter().take(SHOWN).map(|action| format!("`{}`", name(*action))).collect();
    if actions.len() > SHOWN {
        names.push(format!("{} more", actions.len() - SHOWN));
    }
    names.join(", ")
}

impl Alphabet {
    pub fn has_input(&self, action: u32) -> bool {
        self.inputs.binary_search(&action).is_ok()
    }

    pub fn has_output(&self, action: u32) -> bool {
        self.outputs.binary_search(&action).is_ok()
    }

    pub fn knows(&self, action: u32) -> bool {
        self.has_input(action) || self.has_output(action)
    }

    /// `A || B || ...`: no two of them have an output in common.
    pub fn compose(parts: &[&Alphabet], name: &dyn Fn(u32) -> String) -> Result<Alphabet, Unfit> {
        let mut outputs: Vec<u32> = parts.iter().flat_map(|part| part.outputs.iter().copied()).collect();
        outputs.sort_unstable();
        let twice: Vec<u32> = outputs.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        if !twice.is_empty() {
            let names = named(&sorted(twice), name);
            return Err(Unfit::Combination(format!("systems composed with `||` have outputs in common: {names}")));
        }
        let inputs = sorted(parts.iter().flat_map(|part| part.inputs.iter().copied()).collect());
        Ok(Alphabet { inputs: without(&inputs, &outputs), outputs })
    }

    /// `A && B && ...`: no action is an input of one and an output of another.
    pub fn conjoin(parts: &[&Alphabet], name: &dyn Fn(u32) -> String) -> Result<Alphabet, Unfit> {
        let inputs = sorted(parts.iter().flat_map(|part| part.inputs.iter().copied()).collect());
        let outputs = sorted(parts.iter().flat_map(|part| part.outputs.iter().copied()).collect());
        let both = common(&inputs, &outputs);
        if !both.is_empty() {
            let names = named(&both, name);
            let message = format!("inputs of one system conjoined with `&&` are outputs of another: {names}");
            return Err(Unfit::Combination(message));
        }
        Ok(Alphabet { inputs, outputs })
    }

    /// `T \\ S`: no output of S is an input of T. The new input `fresh` stands for time that T does
    /// not allow. A divisor that has it already, because there are quotients in it, has it from
    /// outside as well: it is no output (`quotient.rs`).
    pub fn quotient(
        whole: &Alphabet,
        part: &Alphabet,
        fresh: u32,
        name: &dyn Fn(u32) -> String,
    ) -> Result<Alphabet, Unfit> {
        let clash = common(&part.outputs, &whole.inputs);
        if !clash.is_empty() {
            let names = named(&clash, name);
            let message = format!("there is no quotient: outputs of the divisor are inputs of the dividend: {names}");
            return Err(Unfit::Combination(message));
        }
        let inputs = whole.inputs.iter().chain(&part.outputs).copied().chain([fresh]).collect();
        let own = without(&whole.outputs, &part.outputs);
        let driven = without(&without(&part.inputs, &whole.inputs), &[fresh]);
        let outputs = own.into_iter().chain(driven);
        Ok(Alphabet { inputs: sorted(inputs), outputs: sorted(outputs.collect()) })
    }
}

/// Why one system cannot refine another: what their actions have in the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// Inputs of one side are outputs of the other.
    NotDisjoint(Vec<u32>),
    /// Inputs of the left side that the right one does not have.
    Inputs(Vec<u32>),
    /// Outputs of the right side that the left one does not have.
    Outputs(Vec<u32>),
}

/// Whether refinement is defined: inputs of the left are inputs of the right, outputs of the right
/// are outputs of the left.
pub fn comparable(left: &Alphabet, right: &Alphabet) -> Result<(), Mismatch> {
    let crossing = sorted([common(&left.inputs, &right.outputs), common(&left.outputs, &right.inputs)].concat());
    if !crossing.is_empty() {
        return Err(Mismatch::NotDisjoint(crossing));
    }
    let inputs = without(&left.inputs, &right.inputs);
    if !inputs.is_empty() {
        return Err(Mismatch::Inputs(inputs));
    }
    let outputs = without(&right.outputs, &left.outputs);
    if outputs.is_empty() { Ok(()) } else { Err(Mismatch::Outputs(outputs)) }
}
