//! Reading a critic's reply: one file per critique format.
