//! The real editor: CodeMirror in a shadow root, fetched when first wanted. Until it arrives, and where it does not, a plain
//! text box does the same job.

use super::super::bits::{Dispatch, use_dispatch, use_lang};
use super::super::ui::Msg;
use super::fields;
use super::yaml::lint;
use crate::session::view::{Manifest, Problem};
use js_sys::{Array, Function, Object, Promise, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

#[wasm_bindgen(module = "/js/src/load.js")]
extern "C" {
    fn import_module(url: &str) -> Promise;
}

thread_local! {
    static FETCHED: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Begins to fetch the editor, if it was not.
pub fn warm() {
    let _ = module();
}

fn module() -> Option<Promise> {
    FETCHED.with(|f| {
        let mut f = f.borrow_mut();
        if f.is_none() {
            let document = web_sys::window()?.document()?;
            let meta = document.query_selector("meta[name=loopscope-editor]").ok()??;
            let name = [&*meta.get_attribute("content")?, ".js"].concat();
            let url = web_sys::Url::new_with_base(&name, &document.base_uri().ok()??).ok()?;
            *f = Some(import_module(&url.href()));
        }
        f.clone()
    })
}

/// The editor's handle and the callbacks that it calls, kept as long as it lives.
struct Mounted {
    handle: JsValue,
    _calls: Vec<Closure<dyn FnMut(JsValue)>>,
    _schema: Closure<dyn FnMut(JsValue) -> JsValue>,
}

impl Mounted {
    fn call(&self, name: &str, arg: &JsValue) {
        if let Ok(f) = Reflect::get(&self.handle, &name.into()).and_then(|f| f.dyn_into::<Function>()) {
            let _ = f.call1(&self.handle, arg);
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.call("destroy", &JsValue::UNDEFINED);
    }
}

#[derive(Properties, PartialEq)]
pub struct LiveProps {
    pub text: Rc<str>,
    pub manifest: Rc<Manifest>,
}

/// Problems as the editor takes them.
fn errors(list: &[Problem], lang: super::super::words::Lang) -> JsValue {
    let out = Array::new();
    for p in list.iter().filter(|p| p.line > 0) {
        let one = Object::new();
        let set = |k: &str, v: JsValue| drop(Reflect::set(&one, &k.into(), &v));
        set("line", p.line.into());
        set("column", p.column.into());
        set("message", p.message.as_str().into());
        set("help", p.help.as_ref().map_or(JsValue::UNDEFINED, |h| lang.say(h).into()));
        out.push(&one);
    }
    out.into()
}

/// Who last wrote the field of a line, as the editor's gutter takes it.
fn writers(m: &Manifest, lang: super::super::words::Lang) -> JsValue {
    let out = Array::new();
    for (line, writer) in &m.writers {
        let one = Object::new();
        let set = |k: &str, v: JsValue| drop(Reflect::set(&one, &k.into(), &v));
        set("line", (*line).into());
        set("writer", writer.hue().into());
        set("label", lang.say(&writer.name()).into());
        out.push(&one);
    }
    out.into()
}

#[component]
pub fn Live(props: &LiveProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let host = use_node_ref();
    let mounted = use_mut_ref(|| None::<Mounted>);
    let ready = use_state(|| None::<bool>);
    let said = use_mut_ref(|| props.text.clone());
    {
        let (host, mounted, ready, go, said, text, label) =
            (host.clone(), mounted.clone(), ready.clone(), go.clone(), said.clone(), props.text.clone(), lang.raw("ed.label"));
        use_effect_with((), move |_| {
            let alive = Rc::new(Cell::new(true));
            let still = alive.clone();
            let cell = mounted.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let done = mount(&host, &text, label, go, said).await;
                if still.get() {
                    ready.set(Some(done.is_some()));
                    *cell.borrow_mut() = done;
                }
            });
            move || {
                alive.set(false);
                mounted.borrow_mut().take();
            }
        });
    }
    {
        let (mounted, said) = (mounted.clone(), said.clone());
        use_effect_with((props.text.clone(), *ready), move |(text, _)| {
            if let Some(m) = &*mounted.borrow()
                && *said.borrow() != *text
            {
                *said.borrow_mut() = text.clone();
                m.call("setText", &JsValue::from_str(text));
            }
        });
    }
    use_effect_with((props.manifest.clone(), lang.code(), *ready), move |(manifest, ..)| {
        if let Some(m) = &*mounted.borrow() {
            m.call("setLabel", &lang.raw("ed.label").into());
            m.call("setErrors", &errors(&manifest.problems, lang));
            m.call("setWriters", &writers(manifest, lang));
        }
    });
    let shown = *ready == Some(true);
    let problems = props.manifest.problems.iter().filter(|p| !shown || p.line == 0);
    html! {
        <div class="live" id="live">
            if *ready == Some(false) { <p class="dim note">{ lang.raw("ed.plain") }</p> }
            <div class="cm" ref={host} hidden={!shown}></div>
            if !shown { <Plain text={props.text.clone()} /> }
            if problems.clone().next().is_some() { <ul class="yaml under">{ for problems.map(|p| lint(lang, p)) }</ul> }
        </div>
    }
}

async fn mount(host: &NodeRef, text: &Rc<str>, label: &'static str, go: Dispatch, said: Rc<RefCell<Rc<str>>>) -> Option<Mounted> {
    let module = wasm_bindgen_futures::JsFuture::from(module()?).await.ok()?;
    let mount: Function = Reflect::get(&module, &"mount".into()).ok()?.dyn_into().ok()?;
    let change: Closure<dyn FnMut(JsValue)> = {
        let go = go.clone();
        Closure::new(move |v: JsValue| {
            let text: Rc<str> = v.as_string().unwrap_or_default().into();
            *said.borrow_mut() = text.clone();
            go.send(Msg::Draft(text));
        })
    };
    let apply: Closure<dyn FnMut(JsValue)> = Closure::new(move |_| go.send(Msg::Apply));
    let schema: Closure<dyn FnMut(JsValue) -> JsValue> =
        Closure::new(|v: JsValue| fields::answer(&v.as_string().unwrap_or_default()).into());
    let options = Object::new();
    Reflect::set(&options, &"schema".into(), schema.as_ref()).ok()?;
    Reflect::set(&options, &"onChange".into(), change.as_ref()).ok()?;
    Reflect::set(&options, &"onApply".into(), apply.as_ref()).ok()?;
    Reflect::set(&options, &"label".into(), &label.into()).ok()?;
    let element = host.cast::<web_sys::Element>()?;
    Reflect::set(&options, &"text".into(), &JsValue::from_str(text)).ok()?;
    let handle = mount.call2(&JsValue::NULL, &element, &options).ok()?;
    let mounted = Mounted { handle, _calls: vec![change, apply], _schema: schema };
    mounted.call("focus", &JsValue::UNDEFINED);
    Some(mounted)
}

#[derive(Properties, PartialEq)]
struct PlainProps {
    text: Rc<str>,
}

#[component]
fn Plain(props: &PlainProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let oninput = Callback::from(move |e: InputEvent| {
        let area: web_sys::HtmlTextAreaElement = e.target_unchecked_into();
        go.send(Msg::Draft(area.value().into()));
    });
    html! { <textarea class="m plain" value={props.text.to_string()} spellcheck="false" autocapitalize="off" aria-label={lang.raw("ed.label")} {oninput} /> }
}
