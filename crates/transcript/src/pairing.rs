//! Pairs results with calls.
//!
//! Results and calls are told in the file's order. A result belongs to the newest call of its id that has none. If there is
//! none and exactly one call of that id follows, it belongs to that one, late. Of several results the first counts.

use std::collections::HashMap;

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultMatch {
    /// It belongs to this call, counted from 0.
    Paired {
        /// Which call.
        call: usize,
        /// It stood before its call.
        is_late: bool,
    },
    /// Its call had a result already.
    Duplicate {
        /// Which call.
        call: usize,
    },
    /// No call has its id.
    Orphan,
}

/// Gathers calls and results.
#[derive(Debug, Default)]
pub struct Pairing {
    marks: HashMap<Box<str>, Vec<CallMark>>,
    calls: usize,
    results: usize,
}

#[derive(Debug, Clone, Copy)]
enum CallMark {
    Call(usize),
    Result(usize),
}

impl Pairing {
    /// A call; gives its number, counted from 0.
    pub fn call(&mut self, id: &str) -> usize {
        let call = self.calls;
        self.calls += 1;
        self.mark(id, CallMark::Call(call));
        call
    }

    /// A result; gives its number, counted from 0.
    pub fn result(&mut self, id: &str) -> usize {
        let result = self.results;
        self.results += 1;
        self.mark(id, CallMark::Result(result));
        result
    }

    fn mark(&mut self, id: &str, mark: CallMark) {
        match self.marks.get_mut(id) {
            Some(marks) => marks.push(mark),
            None => {
                self.marks.insert(id.into(), vec![mark]);
            }
        }
    }

    /// Says what belongs together.
    #[must_use]
    pub fn finish(&self) -> CallPairs {
        let mut pairs =
            CallPairs { of_call: vec![None; self.calls], of_result: vec![ResultMatch::Orphan; self.results] };
        for marks in self.marks.values() {
            pairs.resolve(marks);
        }
        pairs
    }
}

/// What belongs together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPairs {
    /// The result of each call.
    pub of_call: Vec<Option<usize>>,
    /// What became of each result.
    pub of_result: Vec<ResultMatch>,
}

impl CallPairs {
    /// `marks` are those of one id.
    fn resolve(&mut self, marks: &[CallMark]) {
        let calls = marks.iter().filter(|mark| matches!(mark, CallMark::Call(_))).count();
        let (mut open, mut last_closed, mut early) = (Vec::new(), None, None);
        for mark in marks {
            match *mark {
                CallMark::Call(call) => match early.take() {
                    Some(result) => {
                        self.bind(call, result, true);
                        last_closed = Some(call);
                    }
                    None => open.push(call),
                },
                CallMark::Result(result) => match (open.pop(), last_closed) {
                    (Some(call), _) => {
                        self.bind(call, result, false);
                        last_closed = Some(call);
                    }
                    (None, Some(call)) => self.fate(result, ResultMatch::Duplicate { call }),
                    (None, None) if calls == 1 => match early {
                        None => early = Some(result),
                        // The first one is the call's; this one can only repeat it.
                        Some(_) => self.fate_of_second(marks, result),
                    },
                    (None, None) => {}
                },
            }
        }
    }

    fn fate_of_second(&mut self, marks: &[CallMark], result: usize) {
        let call = marks.iter().find_map(|mark| match mark {
            CallMark::Call(call) => Some(*call),
            CallMark::Result(_) => None,
        });
        if let Some(call) = call {
            self.fate(result, ResultMatch::Duplicate { call });
        }
    }

    fn bind(&mut self, call: usize, result: usize, is_late: bool) {
        if let Some(of_call) = self.of_call.get_mut(call) {
            *of_call = Some(result);
        }
        self.fate(result, ResultMatch::Paired { call, is_late });
    }

    fn fate(&mut self, result: usize, fate: ResultMatch) {
        if let Some(of_result) = self.of_result.get_mut(result) {
            *of_result = fate;
        }
    }
}
