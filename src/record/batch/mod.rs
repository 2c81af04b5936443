//! Recording in batches: the open calls of an arm as input of a provider's batch service, and its results as recorded calls. The provider is asked by
//! whoever uploads the files; no network here.

mod export;
mod form;
mod id;
mod import;
mod results;

pub use export::{Exported, Part, Wanted, export};
pub use form::Form;
pub use import::{Imported, Row, import};
pub use results::{Kind, Results};
