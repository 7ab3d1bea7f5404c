//! What a person at the page can do. A recorded action changes the world and is one step of Back and one entry of a
//! share link; the others move through the history or open another world.

use crate::api::{Str, Value};
use serde::{Deserialize, Serialize};

/// The wire of one process and one kind: where undelivered watch events wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WireId {
    /// As in `kube-controller-manager`, `kube-scheduler`, `kubelet:node-1`.
    pub process: Str,
    /// The resource watched, as in `pods`, `replicasets.apps`.
    pub resource: Str,
}

/// What happens to one watch event that waits on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventFault {
    /// Arrives now, before everything else.
    Deliver,
    /// Waits until a person delivers it, and everything behind it waits, too.
    Delay,
    /// Is lost on the wire: the cache of the whole process stays stale.
    Drop,
    /// Reaches the cache, but the loop is not woken.
    LoseWakeUp,
    /// Arrives twice.
    Duplicate,
}

/// How the next request of a loop fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailCode {
    /// 409 Conflict.
    Conflict,
    /// 500 Internal Server Error.
    Internal,
    /// No answer within the client's timeout.
    Timeout,
}

/// One thing a person did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Apply the manifest in the editor, as `kubectl apply -f` does.
    Apply {
        text: Str,
    },
    /// A line typed at the kubectl prompt, without the leading `kubectl` or with it.
    Kubectl {
        line: Str,
    },
    /// A command with the files that it reads, as the command line records it.
    KubectlFiles {
        words: Vec<Str>,
        files: Vec<(Str, Str)>,
    },
    /// Let `ms` milliseconds pass.
    Advance {
        ms: u64,
    },
    /// The strip's next move, as one sync; when nobody can move, time goes to the next timer.
    Step,
    /// One whole sync of one loop.
    StepLoop {
        loop_id: Str,
    },
    /// The next of sees, differs, each write, of one loop; of the strip's next move if `loop_id` is empty.
    StepInto {
        loop_id: Str,
    },
    /// Every loop with something to do turns once, and time goes on to the next thing to do.
    Tick,
    /// Let the n-th of the things that can happen about now happen, from 0: any order of them is a list of these.
    Happen {
        nth: u64,
    },
    /// Let everything happen until nothing moves.
    Settle,
    StopLoop {
        loop_id: Str,
    },
    StartLoop {
        loop_id: Str,
    },
    StopProcess {
        process: Str,
    },
    StartProcess {
        process: Str,
    },
    /// Stop and start at once: empty caches, read anew.
    RestartProcess {
        process: Str,
    },
    /// A fault of one waiting event, named by its number on the wire; `loop_id` says whose wake-up is lost.
    Event {
        wire: WireId,
        event: u64,
        fault: EventFault,
        loop_id: Str,
    },
    /// From now on every event about one object is lost: on the wire, or, if `loop_id` names a loop, its wake-ups alone.
    Lose {
        wire: WireId,
        namespace: Str,
        name: Str,
        loop_id: Str,
    },
    /// Ends every fault that lasts.
    EndFaults,
    /// Lose the event that waits first on the wire, or, if none does, the next one that comes.
    DropNext {
        wire: WireId,
    },
    /// The event that waits first on the wire, or the next one that comes, takes `ms` milliseconds longer.
    DelayWire {
        wire: WireId,
        ms: u64,
    },
    /// Walk the cache again; ask the server nothing.
    Resync {
        wire: WireId,
    },
    /// Cut the connection: the reflector watches again from its last revision.
    Disconnect {
        wire: WireId,
    },
    /// Read the whole list from the server.
    Relist {
        wire: WireId,
    },
    /// Put in a fault, by the document that `docs/scenarios.md` describes.
    Fault {
        document: Value,
    },
    /// End one fault, by the number of its rule.
    EndFault {
        fault: u64,
    },
    FailNext {
        loop_id: Str,
        code: FailCode,
    },
    NodeDown {
        node: Str,
    },
    NodeUp {
        node: Str,
    },
    /// End a container's process; it restarts.
    Kill {
        namespace: Str,
        pod: Str,
        container: Str,
    },
    /// How images behave: a list of `kind: Image` documents, replacing those of the same name.
    SetImages {
        text: Str,
    },
    /// In a lesson: a prediction, or an answer to the goal that is next.
    Answer {
        text: Str,
    },
    /// In a lesson: its next step begins.
    NextStep,

    /// Undo the last recorded action.
    Back,
    /// Do again what was undone.
    Redo,
    /// Look at the world as it was after a step; nothing can be done there but Fork.
    ScrubTo {
        step: u64,
    },
    /// Return from the past to the newest moment.
    Now,
    /// Go on from the moment looked at; the other history is kept.
    Fork,
    /// Change over to the branch that the last fork left; this one is kept instead.
    SwapBranch,
    /// Keep the other branch no longer.
    CloseBranch,
    /// Back to the start of this scenario.
    Reset,
    /// Begin one of the scenarios in the menu.
    LoadScenario {
        name: Str,
    },
    /// In a lesson: back to the beginning of a step, counted from 0. What was done before it stays.
    ResetStep {
        step: u64,
    },
    /// Begin a lesson from its text.
    OpenLesson {
        text: Str,
    },
    /// Open a share link's fragment.
    Open {
        link: Str,
    },
}

impl Action {
    /// Whether this is a lesson's own, and leaves the world as it is.
    pub fn is_of_lesson(&self) -> bool {
        matches!(self, Action::Answer { .. })
    }

    /// Whether this changes the world (and so ends a redo, and enters the link).
    pub fn is_recorded(&self) -> bool {
        use Action::*;
        !matches!(
            self,
            Back | Redo
                | ScrubTo { .. }
                | Now
                | Fork
                | SwapBranch
                | CloseBranch
                | Reset
                | LoadScenario { .. }
                | ResetStep { .. }
                | OpenLesson { .. }
                | Open { .. }
        )
    }
}
