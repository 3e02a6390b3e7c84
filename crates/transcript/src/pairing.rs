//! Pairs results with calls.
//!
//! Results and calls are told in the file's order. A result belongs to the newest call of its id that has none. If there is
//! none and exactly one call of that id follows, it belongs to that one, late. Of several results the first counts.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

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
///
/// Ids are known by their hash, as those of the [tree](super::EntryTree) are.
#[derive(Debug, Default)]
pub struct Pairing {
    marks: HashMap<u64, IdMarks>,
    keys: RandomState,
    calls: u32,
    /// What is known of each result so far.
    fates: Vec<ResultFate>,
}

/// What is known of a result when it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFate {
    /// It belongs to this call, whatever follows.
    Answers(u32),
    /// This call had a result already, and none of its id waits.
    Repeats(u32),
    /// It stands before all calls of its id.
    Early,
}

/// What stands in a file of one id. Most have one call and then one result, so that takes the least room.
#[derive(Debug)]
enum IdMarks {
    Open(u32),
    Closed(u32),
    Several(Box<IdCalls>),
    /// A result came first, so only the end tells.
    #[expect(
        clippy::box_collection,
        reason = "few ids have this, and all entries take the room of the largest"
    )]
    Early(Box<Vec<CallMark>>),
}

/// The calls of an id that was used again.
#[derive(Debug, Default)]
struct IdCalls {
    open: Vec<u32>,
    last_closed: Option<u32>,
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
        let key = self.keys.hash_one(id);
        match self.marks.get_mut(&key) {
            None => {
                self.marks.insert(key, IdMarks::Open(call));
            }
            Some(marks) => match marks {
                IdMarks::Open(first) => {
                    *marks = IdMarks::several(vec![*first, call], None);
                }
                IdMarks::Closed(first) => {
                    *marks = IdMarks::several(vec![call], Some(*first));
                }
                IdMarks::Several(calls) => calls.open.push(call),
                IdMarks::Early(marks) => marks.push(CallMark::Call(call as usize)),
            },
        }
        call as usize
    }

    /// A result; says what is known of it. Results are counted from 0.
    pub fn result(&mut self, id: &str) -> ResultFate {
        let result = self.fates.len();
        let key = self.keys.hash_one(id);
        let fate = match self.marks.get_mut(&key) {
            None => {
                self.marks.insert(key, IdMarks::Early(Box::new(vec![CallMark::Result(result)])));
                ResultFate::Early
            }
            Some(marks) => match marks {
                IdMarks::Open(call) => {
                    let call = *call;
                    *marks = IdMarks::Closed(call);
                    ResultFate::Answers(call)
                }
                IdMarks::Closed(call) => ResultFate::Repeats(*call),
                IdMarks::Several(calls) => match (calls.open.pop(), calls.last_closed) {
                    (Some(call), _) => {
                        calls.last_closed = Some(call);
                        ResultFate::Answers(call)
                    }
                    (None, Some(call)) => ResultFate::Repeats(call),
                    (None, None) => ResultFate::Early,
                },
                IdMarks::Early(marks) => {
                    marks.push(CallMark::Result(result));
                    ResultFate::Early
                }
            },
        };
        self.fates.push(fate);
        fate
    }

    /// Says what belongs together.
    #[must_use]
    pub fn finish(&self) -> CallPairs {
        let mut pairs = CallPairs {
            of_call: vec![None; self.calls as usize],
            of_result: vec![ResultMatch::Orphan; self.fates.len()],
        };
        for (result, fate) in self.fates.iter().enumerate() {
            match *fate {
                ResultFate::Answers(call) => pairs.bind(call as usize, result, false),
                ResultFate::Repeats(call) => {
                    pairs.fate(result, ResultMatch::Duplicate { call: call as usize });
                }
                ResultFate::Early => {}
            }
        }
        for marks in self.marks.values() {
            if let IdMarks::Early(marks) = marks {
                pairs.resolve(marks);
            }
        }
        pairs
    }
}

impl IdMarks {
    fn several(open: Vec<u32>, last_closed: Option<u32>) -> Self {
        Self::Several(Box::new(IdCalls { open, last_closed }))
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
    /// `marks` are those of one id whose first is a result.
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
