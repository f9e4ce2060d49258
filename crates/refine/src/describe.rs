//! States and systems in words.

use crate::world::{Node, NodeId, Slots, World};
use model::network::ClockId;
use zones::Constraint;

impl World<'_> {
    /// A system as it is written.
    pub fn title(&self, node: NodeId) -> String {
        const SHOWN: usize = 6;
        let operator = match self.node(node) {
            Node::Leaf(leaf) => return self.leaf_name(*leaf),
            Node::Operator(operator) => operator,
        };
        let operands = operator.operands();
        let mut parts: Vec<String> = operands.iter().take(SHOWN).map(|operand| self.title(*operand)).collect();
        if operands.len() > SHOWN {
            parts.push("...".to_owned());
        }
        format!("({})", parts.join(&format!(" {} ", operator.sign())))
    }

    pub fn leaf_name(&self, leaf: u32) -> String {
        let name = &self.component_of(leaf).name;
        match &self.leaves[leaf as usize].instance {
            Some(mark) => format!("{name}[{mark}]"),
            None => name.clone(),
        }
    }

    /// `A.L1, B.L2 with x <= 3`
    pub fn describe(&self, leaves: &[u32], slots: &Slots, clocks: &[Constraint]) -> String {
        const SHOWN: usize = 12;
        let mut parts: Vec<String> = leaves
            .iter()
            .take(SHOWN)
            .map(|leaf| {
                let process = self.component_of(*leaf).process;
                let location = self.local(*leaf, slots).location;
                format!("{}.{}", self.leaf_name(*leaf), self.network.template_of(process).location(location).name)
            })
            .collect();
        if leaves.len() > SHOWN {
            parts.push("...".to_owned());
        }
        let mut text = parts.join(", ");
        let known: Vec<String> =
            clocks.iter().filter_map(|constraint| self.constraint_text(leaves, constraint)).collect();
        if !known.is_empty() {
            text.push_str(" with ");
            text.push_str(&known.join(", "));
        }
        text
    }

    /// A constraint on a clock that the model has.
    fn constraint_text(&self, leaves: &[u32], constraint: &Constraint) -> Option<String> {
        let clock = constraint.left.max(constraint.right);
        let leaf = leaves.iter().copied().find(|leaf| {
            let first = self.leaves[*leaf as usize].clocks;
            (first + 1..=first + self.component_of(*leaf).clocks as u32).contains(&clock)
        })?;
        let process = self.network.process(self.component_of(leaf).process);
        let template = self.network.template_of(self.component_of(leaf).process);
        let own = clock - self.leaves[leaf as usize].clocks - 1;
        if own >= template.state.clocks {
            return None;
        }
        let name = self.network.clock_name(ClockId::new((process.state.clocks + own) as usize));
        let constant = i64::from(constraint.bound.constant()) * i64::from(self.unit);
        let strict = constraint.bound.is_strict();
        Some(match constraint.right == 0 {
            true => format!("{name} {} {constant}", if strict { "<" } else { "<=" }),
            false => format!("{name} {} {}", if strict { ">" } else { ">=" }, -constant),
        })
    }
}
