// CodeMirror's own words in Korean: the search panel, completions, folding.
export const korean = {
  Find: '찾기', Replace: '바꿀 말', next: '다음', previous: '이전', all: '모두', 'match case': '대소문자 구별', 'by word': '낱말 단위', regexp: '정규식',
  replace: '바꾸기', 'replace all': '모두 바꾸기', close: '닫기', 'current match': '지금 찾은 곳', 'on line': '줄', 'replaced $ matches': '$곳을 바꿨다',
  'replaced match on line $': '$번째 줄에서 바꿨다', 'Go to line': '줄로 가기', go: '가기', Completions: '자동 완성',
  'Fold line': '접기', 'Unfold line': '펼치기', 'folded code': '접힌 줄', unfold: '펼치기', 'Folded lines': '접힌 줄', 'Unfolded lines': '펼친 줄', to: '부터',
  Diagnostics: '고칠 곳', 'No diagnostics': '고칠 곳 없음', 'Control character': '제어 문자',
};
