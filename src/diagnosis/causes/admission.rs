//! Pods that a ReplicaSet wants and the API server does not let it make.

use super::{Cause, said};
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, Str};
use crate::diagnosis::sight::Sight;
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "quota-exceeded",
        headline: said("ResourceQuota가 Pod 생성을 막는다", "A ResourceQuota refuses the Pods"),
        cause: said(
            "{kind} {name}의 Pod {want}개 가운데 {there}개뿐이다. 나머지를 만들면 ResourceQuota {quota}를 넘으므로 API 서버가 거부한다.",
            "{kind} {name} has {there} of {want} Pods. One more would exceed ResourceQuota {quota}, so the API server refuses it.",
        ),
        fix: said(
            "한도를 올리거나, 요청량이나 replicas를 줄인다. ReplicaSet 루프는 간격을 늘려 가며 다시 시도한다.",
            "Raise the quota, or lower requests or replicas. The ReplicaSet loop keeps trying, less and less often.",
        ),
    },
    Cause {
        code: "service-account-missing",
        headline: said("Pod가 쓸 ServiceAccount가 없다", "The Pod's ServiceAccount does not exist"),
        cause: said(
            "{kind} {name}의 Pod는 ServiceAccount {account} 없이는 만들어지지 않는다. API 서버가 생성을 거부한다.",
            "The API server refuses the Pods of {kind} {name}: ServiceAccount {account} does not exist.",
        ),
        fix: said(
            "그 이름의 ServiceAccount를 만들거나 serviceAccountName을 고친다.",
            "Create that ServiceAccount, or correct serviceAccountName.",
        ),
    },
    Cause {
        code: "pod-create-refused",
        headline: said("API 서버가 Pod 생성을 거부한다", "The API server refuses to create the Pods"),
        cause: said(
            "{kind} {name}의 Pod {want}개 가운데 {there}개뿐이다. 이유는 아래 메시지 그대로다.",
            "{kind} {name} has {there} of {want} Pods. The message below says why.",
        ),
        fix: said(
            "메시지가 가리키는 것을 고친다. 루프는 스스로 다시 시도한다.",
            "Mend what the message names. The loop tries again by itself.",
        ),
    },
];

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    sight.list(&REPLICA_SETS).filter(|r| !r.is_deleting()).filter_map(refused).collect()
}

fn refused(set: &Object) -> Option<Finding> {
    let failure =
        set.condition("ReplicaFailure").filter(|c| c.get("status").text() == "True" && c.get("reason").text() == "FailedCreate")?;
    let (want, there) = (set.spec().get("replicas").int(), set.status().get("replicas").int());
    if there >= want {
        return None;
    }
    let message = failure.get("message").text();
    let after = |word: &str| message.split(word).nth(1).map(|rest| rest.split([',', '"', ' ']).find(|w| !w.is_empty()).unwrap_or(""));
    let quota = after("exceeded quota: ").or_else(|| after("failed quota: ")).map(|q| q.trim_end_matches(':'));
    let account = message.contains("error looking up service account").then(|| after("service account ").unwrap_or(""));
    let code = match (quota, account) {
        (Some(_), _) => "quota-exceeded",
        (_, Some(_)) => "service-account-missing",
        _ => "pod-create-refused",
    };
    let finding = Finding::new(code, set, Owes::You).arg("want", Str::from(want.to_string())).arg("there", Str::from(there.to_string()));
    let finding = finding.proved(&format!("describe replicaset {}", set.name()), &["FailedCreate", "Error creating"]);
    Some(match (quota, account) {
        (Some(quota), _) => {
            finding.arg("quota", quota).command(&format!("describe resourcequota {quota}")).command(&format!("edit resourcequota {quota}"))
        }
        (_, Some(account)) => {
            let name = account.rsplit('/').next().unwrap_or(account);
            finding.arg("account", name).command(&format!("create serviceaccount {name}"))
        }
        _ => finding,
    })
}
