//! Providers' wire forms: one file each, request out and reply in. No network.
