//! Output forms: one file each. A renderer computes nothing.
