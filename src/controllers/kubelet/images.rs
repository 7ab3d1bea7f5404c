//! Pulling the image of a container: policy, one pull at a time, back-off, events. Follows upstream
//! `pkg/kubelet/images/image_manager.go` and `puller.go`.

use super::backoff::go_duration;
use super::worker::{Step, Turn, Worker};
use crate::api::Str;
use crate::runtime::{Behaviour, PullError, images::normal};
use crate::util::Time;
use std::rc::Rc;

/// What every image weighs.
pub const IMAGE_BYTES: i64 = 52_428_800;

/// containerd gives up to connect to a registry after this long.
const DIAL_TIMEOUT_MS: u64 = 30_000;

/// What the runtime says when a pull fails, as containerd 2.1 words it.
fn error_text(error: PullError, image: &str) -> String {
    let n = normal(image);
    let resolving = format!("failed to pull and unpack image \"{n}\": failed to resolve reference \"{n}\": ");
    match error {
        PullError::NotFound => format!("rpc error: code = NotFound desc = {resolving}{n}: not found"),
        PullError::Unauthorized => format!(
            "{resolving}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed"
        ),
        PullError::Timeout => {
            format!("rpc error: code = DeadlineExceeded desc = {resolving}failed to do request: dial tcp: i/o timeout")
        }
    }
}

impl Worker {
    /// `EnsureImageExists`: a step to wait for if a pull begins; none if the image is there, or (then the container is
    /// no longer to start) if it cannot be had.
    #[inline(never)]
    pub fn pull(&mut self, turn: &mut Turn<'_>, name: &Str, at: Time) -> Option<Step> {
        let image = self.container(name)?.0.get("image").to_str();
        let policy = self.container(name)?.0.get("imagePullPolicy").to_str();
        let present = turn.machine.has_image(&image, at);
        if policy == "Never" && !present {
            let why = format!("Container image \"{image}\" is not present with pull policy of Never");
            turn.say(self.path(name), "Warning", "ErrImageNeverPull", why.clone());
            turn.say(self.path(name), "Warning", "Failed", "Error: ErrImageNeverPull");
            self.not_pulled(name, "ErrImageNeverPull", why.into());
            self.failed = true;
            return None;
        }
        if present && policy != "Always" {
            let text = format!("Container image \"{image}\" already present on machine and can be accessed by the pod");
            turn.say(self.path(name), "Normal", "Pulled", text);
            return None;
        }
        if let Some(end) = self.pulls.until_since_update(&image, at) {
            let text = format!("Back-off pulling image \"{image}\"");
            turn.say(self.path(name), "Normal", "BackOff", text.clone());
            turn.say(self.path(name), "Warning", "Failed", "Error: ImagePullBackOff");
            let last = self.pull_errors.iter().find(|(i, _)| *i == image).map(|(_, e)| format!(": ErrImagePull: {e}"));
            self.not_pulled(name, "ImagePullBackOff", format!("{text}{}", last.unwrap_or_default()).into());
            self.retry_at(end);
            return None;
        }
        turn.say(self.path(name), "Normal", "Pulling", format!("Pulling image \"{image}\""));
        let mut behaviour = self.behaviour(turn, name, &image);
        if turn.images.is_unreachable(&image) {
            behaviour = Rc::new(Behaviour { pull_ms: DIAL_TIMEOUT_MS, pull_error: Some(PullError::Timeout), ..(*behaviour).clone() });
        }
        let error = behaviour.pull_error;
        let overhead = self.draw(turn, "pull", 1, 6);
        let (begin, until) = turn.machine.pull(&image, at, &behaviour, overhead);
        Some(Step::Pull { asked: at, begin, until, error })
    }

    /// The end of a pull.
    #[inline(never)]
    pub fn pulled(&mut self, turn: &mut Turn<'_>, (asked, begin): (Time, Time), error: Option<PullError>, at: Time) {
        let Some(name) = self.todo.first().cloned() else { return self.end_sync(turn, at) };
        let image = self.container(&name).map(|(c, _)| c.get("image").to_str()).unwrap_or_default();
        if turn.machine.has_image(&image, at) {
            let (took, waited) = (go_duration(at.since_ms(begin)), go_duration(at.since_ms(asked)));
            let text =
                format!("Successfully pulled image \"{image}\" in {took} ({waited} including waiting). Image size: {IMAGE_BYTES} bytes.");
            turn.say(self.path(&name), "Normal", "Pulled", text);
            self.todo.remove(0);
            match self.create(turn, &name, at) {
                Some(started) if self.todo.is_empty() => self.end_sync(turn, started),
                Some(started) => self.step = Step::Start { at: started },
                None => self.start_next(turn, at),
            }
            return;
        }
        let why = error_text(error.unwrap_or(PullError::NotFound), &image);
        turn.say(self.path(&name), "Warning", "Failed", format!("Failed to pull image \"{image}\": {why}"));
        turn.say(self.path(&name), "Warning", "Failed", "Error: ErrImagePull");
        self.pulls.next(&image, at);
        self.pull_errors.retain(|(i, _)| *i != image);
        self.pull_errors.push((image, why.clone().into()));
        self.not_pulled(&name, "ErrImagePull", why.into());
        self.failed = true;
        self.start_next(turn, at);
    }

    fn not_pulled(&mut self, name: &Str, reason: &'static str, message: Str) {
        self.because(name, reason, message);
        self.todo.retain(|n| n != name);
    }
}
