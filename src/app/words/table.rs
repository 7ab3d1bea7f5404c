//! The strings of the page that a first visit does not show, Korean first, in the order of the page. `{x}` is a value. API names, reasons, messages
//! and kubectl output never enter this table: they stay as the API server wrote them.

/// Key, Korean, English.
pub static WORDS: &[(&str, &str, &str)] = &[
    // bar
    ("scn.rolling", "롤링 업데이트", "Rolling update"),
    ("scn.stuck", "노드가 꽉 찼다", "No room on any node"),
    ("scn.lost", "놓친 이벤트", "A lost event"),
    ("scn.big", "Pod 1,000개", "1,000 Pods"),
    // stage strip
    ("strip.none", "아무도 움직이지 않는다", "Nobody will move"),
    // editor
    ("ed.dirty", "저장되지 않은 줄 {n}개", "{n} line{n|s} not stored"),
    ("ed.error.none", "저장되지 않았다. 클러스터는 그대로다.", "Nothing was stored. The cluster is as it was."),
    (
        "ed.error.help",
        "20번째 줄이 탭으로 들여쓰여 있다. YAML의 들여쓰기는 공백뿐이다.",
        "Line 20 is indented with a tab. YAML indents with spaces only.",
    ),
    ("ed.locked", "과거를 보는 동안은 고칠 수 없다", "You cannot edit the past"),
    ("img.note", "이미지가 어떻게 구는지는 여기서 정한다.", "Decide here how each image behaves."),
    ("img.fine", "{n}초 뒤 준비된다", "ready after {n} s"),
    ("img.slow", "{n}초가 걸린다. probe가 먼저 포기할 수 있다", "takes {n} s; a probe may give up first"),
    ("img.use", "쓰기", "Use"),
    ("flt.note", "켜 둔 장애는 공유 링크에 함께 담긴다.", "Faults that are on travel with the share link."),
    ("flt.for", "{loop} 루프에 장애 넣기", "Faults for the {loop} loop"),
    ("flt.stop", "루프를 멈춘다", "Stop the loop"),
    ("flt.drop", "다음 이벤트를 떨어뜨린다", "Drop the next event"),
    ("flt.delay", "이벤트를 늦춘다", "Delay events"),
    ("flt.cut", "watch 연결을 끊는다", "Cut the watch connection"),
    ("flt.409", "다음 쓰기에 409", "409 on the next write"),
    ("flt.node", "노드를 내린다", "Take a node down"),
    // loops
    ("loop.s.stopped", "멈춤", "stopped"),
    ("loop.s.stuck", "막힘", "stuck"),
    ("loop.s.run", "도는 중", "running"),
    ("loop.start", "다시 켜기", "Start again"),
    // wires
    ("loop.parked", "보류 {n}", "parked {n}"),
    ("loop.intro", "아직 볼 것이 없다", "nothing to see yet"),
    ("wire.deliver", "전달", "Deliver"),
    ("wire.delay", "늦추기", "Delay"),
    ("wire.drop", "떨어뜨리기", "Drop"),
    ("wire.dup", "한 번 더", "Duplicate"),
    ("wire.wake", "깨우기만 유실", "Lose the wake-up only"),
    (
        "wire.teach",
        "실제 watch는 연결째 끊긴다. 한 건만 떨어뜨리는 것은 학습용이다.",
        "A real watch is lost with its connection. Dropping one event is a teaching device.",
    ),
    // board
    ("board.new", "새 버전", "new"),
    ("board.old", "이전 버전", "old"),
    ("board.empty", "게시판이 비어 있다", "The board is empty"),
    // inspector
    ("why.h", "이 바퀴는 왜 도는가", "Why this turn runs"),
    ("why.note", "위에서 아래로: 누가 쓴 것을 누가 보았나.", "Top to bottom: who wrote what the next one saw."),
    ("own.h", "필드마다 주인은 하나", "One owner for each field"),
    (
        "own.note",
        "managedFields에서 읽는다. 주인이 둘이 되면 여기서 먼저 드러난다.",
        "Read from managedFields. A second owner shows up here first.",
    ),
    // transport and timeline
    ("tp.timer", "{n}초 뒤 타이머", "Timer in {n} s"),
    // moments
    ("stuck.h", "스케줄러에서 막혔다", "Stuck at the scheduler"),
    (
        "stuck.p",
        "Pod 2개는 만들어졌고, 놓을 노드가 없다. spec을 들여다봐도 이유는 없다. 이유는 Pod의 conditions에 적혀 있다.",
        "Both Pods exist and no node can take them. The spec will not tell you why. The Pod's conditions do.",
    ),
    (
        "stuck.look",
        "요청을 줄이거나 노드를 늘리면 스케줄러가 스스로 다시 시도한다.",
        "Lower the request or add a node: the scheduler tries again by itself.",
    ),
    (
        "lost.p",
        "ReplicaSet 루프의 캐시에는 Pod가 아직 3개다. status를 쓰는 것도 이 루프라서 status마저 3이라고 말한다.",
        "In the ReplicaSet loop's cache there are still 3 Pods. The same loop writes status, so even status says 3.",
    ),
    (
        "lost.q",
        "resync는 캐시를 다시 훑을 뿐이라 모른다. 서버에서 목록을 다시 읽는 re-list가 메운다.",
        "A resync only walks the cache, so it cannot know. A re-list, read from the server, heals it.",
    ),
    ("stuck.room", "요청 {r}이 들어갈 자리", "Room for a request of {r}"),
    ("stuck.free", "{n} 남음", "{n} free"),
    ("lost.relist", "re-list 지금", "Re-list now"),
    ("lost.cut", "프로세스 다시 띄우기", "Restart the process"),
    ("lost.next", "저절로 오는 re-list는 없다", "No re-list is due by itself"),
    ("past.h", "과거를 보고 있다", "You are in the past"),
    (
        "past.p",
        "읽기 전용이다. 여기서 갈라 나가면 이 순간부터 다른 역사를 쓴다. 원래 역사는 남는다.",
        "Read only. Fork here to write another history from this moment. The first one is kept.",
    ),
    ("past.fork", "여기서 갈라 나가기", "Fork from here"),
    ("past.now", "지금으로", "Back to now"),
    ("past.ago", "{n}단계 전", "{n} step{n|s} ago"),
    ("health.stuck", "막힘", "stuck"),
    ("health.gone", "사라지는 중", "going"),
    ("hp.rule", "그림 읽는 법", "How to read it"),
    ("hp.fill", "테두리는 목표(spec), 채움은 현재(status). 빈칸이 곧 차이다.", "Outline is spec, fill is status. The hole is the gap."),
    ("hp.who", "색은 누가 썼는지", "A colour is a writer"),
    ("hp.health", "모양은 어떤 상태인지", "A shape is a state"),
    ("hp.keys", "키보드", "Keyboard"),
    // accessibility
    ("a11y.log1", "ReplicaSet 루프 차례. Pod 1개를 더 만들 참이다.", "The ReplicaSet loop is next. It is about to create 1 Pod."),
];
