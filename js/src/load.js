// Rust's bindings have no import(): this is it. `url` is absolute, as a relative one would count from this file.
export function import_module(url) {
  return import(url);
}
