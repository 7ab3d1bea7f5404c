//! What a verb says about an object that it changed: `deployment.apps/web scaled`, or the object itself with `-o`.

use super::super::builder::Info;
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::printers::output;
use crate::api::Object;

/// Says what was done with an object, as `-o` asks.
///
/// # Errors
/// There is no such output format.
pub fn done(context: &mut Context<'_>, info: &Info, object: &Object, operation: &str) -> Result<(), Fault> {
    match context.flags.text("output") {
        "" => {
            let operation = match context.dry_run()? {
                DryRun::None => operation.to_string(),
                DryRun::Client => format!("{operation} (dry run)"),
                DryRun::Server => format!("{operation} (server dry run)"),
            };
            context.say(format!("{} {operation}", info.named()));
            Ok(())
        }
        "name" => {
            context.say(info.named());
            Ok(())
        }
        format => {
            let format = format.to_string();
            let text = output::object(&format, object, context.flags.is_set("show-managed-fields"))?;
            context.print(&text);
            Ok(())
        }
    }
}
