//! Cases and properties of claims.
