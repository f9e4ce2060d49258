//! Actions that are ready are taken: alone, or with a partner that is ready on the same channel.

use super::explore::{Firing, Meeting, Place, Relaxation};
use super::task::{Action, Role};
use crate::network::operators::{ALONE, Operators};

impl Relaxation<'_> {
    /// Takes all that is ready.
    pub(super) fn act(&mut self) {
        let mut ready = std::mem::take(&mut self.ready);
        for action in ready.drain(..) {
            if self.interrupt.tick() {
                break;
            }
            self.meet(action);
        }
        self.ready = ready;
        let mut waiting = std::mem::take(&mut self.waiting_units);
        for unit in waiting.drain(..) {
            self.units[unit as usize].queued = false;
            self.run_unit(unit);
        }
        self.waiting_units = waiting;
        while let Some(unit) = self.flowing.pop() {
            if self.interrupt.tick() {
                break;
            }
            self.units[unit as usize].queued = false;
            self.run_unit(unit);
        }
    }

    pub(super) fn allows(&self, sender: u32, receiver: u32) -> bool {
        let actions = &self.task.actions;
        actions[sender as usize].process != actions[receiver as usize].process && self.banned != (sender, receiver)
    }

    /// An action is ready: it is taken alone, or with a partner, or waits for one.
    pub(super) fn meet(&mut self, action: u32) {
        let Action { role, ref channels, .. } = self.task.actions[action as usize];
        let channels = channels.clone();
        match role {
            Role::Alone if self.banned != (action, ALONE) => self.fire(action, ALONE),
            Role::Together => {
                let channel = channels.clone().next().map(|n| self.task.channels[n as usize]);
                if channel.is_none_or(|channel| Operators::together(channel as usize) != self.banned) {
                    self.fire(action, ALONE);
                }
            }
            Role::Broadcasts if self.banned != (action, ALONE) => {
                self.fire(action, ALONE);
                for n in channels {
                    self.send(action, self.task.channels[n as usize]);
                }
            }
            Role::Sends => channels.for_each(|n| self.send(action, self.task.channels[n as usize])),
            Role::Receives | Role::Hears => channels.for_each(|n| self.receive(action, self.task.channels[n as usize])),
            Role::Alone | Role::Broadcasts => {}
        }
    }

    pub(super) fn is_reached(&self, fact: u32) -> bool {
        self.places[fact as usize].stamp == self.stamp
    }

    pub(super) fn meeting(&mut self, channel: u32) -> &mut Meeting {
        let stamp = self.stamp;
        let meeting = &mut self.meetings[channel as usize];
        if meeting.stamp != stamp {
            meeting.stamp = stamp;
            for list in
                [&mut meeting.senders, &mut meeting.receivers, &mut meeting.idle_senders, &mut meeting.idle_receivers]
            {
                list.clear();
            }
        }
        meeting
    }

    pub(super) fn send(&mut self, action: u32, channel: u32) {
        self.meeting(channel).senders.push(action);
        if !self.actions[action as usize].fired {
            let partner = self.meetings[channel as usize].receivers.iter().find(|other| self.allows(action, **other));
            match partner.copied() {
                Some(partner) => self.fire(action, partner),
                None => self.meetings[channel as usize].idle_senders.push(action),
            }
        }
        if self.meetings[channel as usize].idle_receivers.is_empty() {
            return;
        }
        let mut idle = std::mem::take(&mut self.meetings[channel as usize].idle_receivers);
        idle.retain(|other| {
            let meets = self.allows(action, *other);
            if meets && !self.actions[*other as usize].fired {
                self.fire(*other, action);
            }
            !meets
        });
        self.meetings[channel as usize].idle_receivers = idle;
    }

    pub(super) fn receive(&mut self, action: u32, channel: u32) {
        self.meeting(channel).receivers.push(action);
        if !self.actions[action as usize].fired {
            let partner = self.meetings[channel as usize].senders.iter().find(|other| self.allows(**other, action));
            match partner.copied() {
                Some(partner) => self.fire(action, partner),
                None => self.meetings[channel as usize].idle_receivers.push(action),
            }
        }
        if self.meetings[channel as usize].idle_senders.is_empty() {
            return;
        }
        let mut idle = std::mem::take(&mut self.meetings[channel as usize].idle_senders);
        idle.retain(|other| {
            let meets = self.allows(*other, action);
            if meets && !self.actions[*other as usize].fired {
                self.fire(*other, action);
            }
            !meets
        });
        self.meetings[channel as usize].idle_senders = idle;
    }

    pub(super) fn fire(&mut self, action: u32, partner: u32) {
        self.actions[action as usize].fired = true;
        let firing = self.firings.len() as u32;
        self.firings.push(Firing { action, partner });
        let Action { target, ref units, ref constants, .. } = self.task.actions[action as usize];
        let (units, constants) = (units.clone(), constants.clone());
        let place = &mut self.places[target as usize];
        if place.stamp != self.stamp {
            *place = Place { stamp: self.stamp, firing };
            self.new_places.push(target);
        }
        self.write_constants(constants, firing);
        units.for_each(|unit| self.start_unit(unit, firing));
        if !std::mem::replace(&mut self.transition_fired, true) {
            self.write_constants(self.task.global_constants.clone(), firing);
            self.task.global_units.clone().for_each(|unit| self.start_unit(unit, firing));
        }
    }

    fn write_constants(&mut self, constants: std::ops::Range<u32>, firing: u32) {
        for n in constants {
            let (cell, value) = self.task.constants[n as usize];
            self.add_value(cell, value, firing, None, &[]);
        }
    }
}
