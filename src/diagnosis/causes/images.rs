//! Images that cannot be pulled, or not soon.

use super::{Cause, said};
use crate::api::{Object, Value};
use crate::diagnosis::sight::{Sight, node_of, slashed, source};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "image-name-invalid",
        headline: said("이미지 이름을 읽을 수 없다", "The image name cannot be parsed"),
        cause: said(
            "{kind} {name}의 이미지 {image}는 이름의 꼴이 아니다. 받으러 가지도 않는다.",
            "{image} of {kind} {name} is not a valid image name. Nobody even tries to pull it.",
        ),
        fix: said("이미지 이름을 고친다. 대문자와 빈칸은 쓸 수 없다.", "Correct the name. Capitals and spaces are not allowed in it."),
    },
    Cause {
        code: "image-not-present",
        headline: said("노드에 이미지가 없는데 받지 말라고 되어 있다", "The image is not on the node and must not be pulled"),
        cause: said("imagePullPolicy가 Never이고 노드에 {image}가 없다.", "imagePullPolicy is Never, and the node does not have {image}."),
        fix: said(
            "imagePullPolicy를 IfNotPresent로 바꾸거나 노드에 이미지를 둔다.",
            "Set imagePullPolicy to IfNotPresent, or put the image on the node.",
        ),
    },
    Cause {
        code: "image-not-found",
        headline: said("레지스트리에 그 이미지가 없다", "The registry has no such image"),
        cause: said(
            "{kind} {name}의 이미지 {image}가 레지스트리에 없다. kubelet은 간격을 5분까지 늘려 가며 다시 시도한다.",
            "The registry does not have {image} of {kind} {name}. The kubelet keeps trying, at last every five minutes.",
        ),
        fix: said("태그와 이름을 확인해 고치거나, 이전 revision으로 되돌린다.", "Check name and tag, or roll back."),
    },
    Cause {
        code: "image-unauthorized",
        headline: said("이미지를 받을 권한이 없다", "Pulling the image is not allowed"),
        cause: said(
            "레지스트리가 {image}를 내주지 않는다. 이미지가 없거나, 있어도 인증이 필요하다.",
            "The registry denies {image}: it does not exist, or it wants credentials.",
        ),
        fix: said("imagePullSecrets를 달거나 이미지 이름을 고친다.", "Add imagePullSecrets, or correct the image's name."),
    },
    Cause {
        code: "registry-unreachable",
        headline: said("레지스트리에 닿지 않는다", "The registry does not answer"),
        cause: said(
            "{image}를 받으려 했지만 레지스트리가 응답하지 않는다. kubelet은 간격을 늘려 가며 다시 시도한다.",
            "The registry of {image} does not answer. The kubelet keeps trying, less and less often.",
        ),
        fix: said(
            "레지스트리나 네트워크를 살린다. 그 뒤에는 저절로 풀린다.",
            "Bring the registry or the network back. The rest follows by itself.",
        ),
    },
    Cause {
        code: "image-pull-failed",
        headline: said("이미지를 받지 못한다", "The image cannot be pulled"),
        cause: said("{kind} {name}의 이미지 {image}를 받지 못한다.", "{image} of {kind} {name} cannot be pulled."),
        fix: said("메시지가 가리키는 것을 고친다.", "Mend what the message names."),
    },
    Cause {
        code: "image-pull-slow",
        headline: said("이미지를 아직 받고 있다", "The image is still being pulled"),
        cause: said(
            "{image}를 {seconds}초째 받는 중이다. kubelet은 한 번에 하나씩 받으므로 앞의 것이 늦으면 뒤의 것도 기다린다.",
            "{image} has been pulled for {seconds} s. The kubelet pulls one image at a time, so others wait behind it.",
        ),
        fix: said("기다리거나, 이미지를 줄이거나, 미리 받아 둔다.", "Wait, make the image smaller, or pull it ahead."),
    },
];

/// A pull that takes longer is worth a word.
const SLOW_MS: u64 = 120_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    sight.pods().filter(|p| node_of(p).is_some()).filter_map(|p| failed(sight, p).or_else(|| slow(sight, p))).collect()
}

pub fn statuses(pod: &Object) -> impl Iterator<Item = &Value> {
    ["initContainerStatuses", "containerStatuses"].into_iter().flat_map(|f| pod.status().get(f).items())
}

fn failed(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    const REASONS: [&str; 4] = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"];
    let (status, reason) =
        statuses(pod).map(|c| (c, c.at(&["state", "waiting", "reason"]).text())).find(|(_, reason)| REASONS.contains(reason))?;
    let image = status.get("image").text();
    let told = sight.event(pod, "Failed", &format!("Failed to pull image \"{image}\"")).map_or("", |e| e.get("message").text());
    let text = [status.at(&["state", "waiting", "message"]).text(), told].concat();
    let code = match reason {
        "InvalidImageName" => "image-name-invalid",
        "ErrImageNeverPull" => "image-not-present",
        _ if text.contains("pull access denied") || text.contains("nauthorized") || text.contains("authorization failed") => {
            "image-unauthorized"
        }
        _ if text.contains("not found") => "image-not-found",
        _ if text.contains("i/o timeout") || text.contains("dial tcp") || text.contains("DeadlineExceeded") => "registry-unreachable",
        _ => "image-pull-failed",
    };
    let owes = if code == "registry-unreachable" { Owes::Outside("registry".into()) } else { Owes::You };
    let finding = Finding::new(code, pod, owes).arg("image", image).arg("container", status.get("name").to_str());
    let describe = format!("describe pod {}", pod.name());
    let finding = match code {
        "image-name-invalid" => finding.proved(&describe, &["InvalidImageName"]),
        "image-not-present" => finding.proved(&describe, &["ErrImageNeverPull"]),
        _ if told.is_empty() => finding.proved(&describe, &[reason]),
        _ => finding.proved(&describe, &["Failed to pull image", image]),
    };
    Some(repair(sight, pod, finding, status.get("name").text(), code))
}

fn repair(sight: &Sight<'_>, pod: &Object, finding: Finding, container: &str, code: &str) -> Finding {
    if code == "registry-unreachable" {
        return finding;
    }
    let of = source(sight, pod);
    let finding = finding.command(&format!("set image {} {container}=IMAGE:TAG", slashed(of)));
    let earlier = of.annotation("deployment.kubernetes.io/revision").is_some_and(|r| r != "1");
    if earlier { finding.command(&format!("rollout undo {}", slashed(of))) } else { finding }
}

/// A pull that began long ago and has not ended.
fn slow(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let waits = |c: &&Value| matches!(c.at(&["state", "waiting", "reason"]).text(), "ContainerCreating" | "PodInitializing");
    let status = statuses(pod).find(waits)?;
    let image = status.get("image").text();
    let begun = sight.event(pod, "Pulling", &format!("\"{image}\""))?;
    let ms = sight.since_ms(begun.get("lastTimestamp"));
    let ended = sight.event(pod, "Pulled", &format!("\"{image}\"")).is_some_and(|e| e.revision() > begun.revision());
    if ended || ms < SLOW_MS {
        return None;
    }
    let finding = Finding::new("image-pull-slow", pod, Owes::Outside("registry".into()));
    let finding = finding.arg("image", image).arg("seconds", (ms / 1000).to_string());
    Some(finding.proved(&format!("describe pod {}", pod.name()), &["Pulling", image]))
}
