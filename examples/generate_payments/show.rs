//! Numbers and days as people write them.

pub fn grouped(n: i64) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", grouped(n / 1000), n % 1000) }
}

/// Day `day` of 2026: 0 `4 March 2026`, 1 `March 4, 2026`, 2 `2026-03-04`.
pub fn date(day: i64, style: usize) -> String {
    const MONTHS: [(&str, i64); 12] = [
        ("January", 31),
        ("February", 28),
        ("March", 31),
        ("April", 30),
        ("May", 31),
        ("June", 30),
        ("July", 31),
        ("August", 31),
        ("September", 30),
        ("October", 31),
        ("November", 30),
        ("December", 31),
    ];
    let mut day = day;
    for (i, (month, length)) in MONTHS.iter().enumerate() {
        if day <= *length {
            return match style {
                0 => format!("{day} {month} 2026"),
                1 => format!("{month} {day}, 2026"),
                _ => format!("2026-{:02}-{day:02}", i + 1),
            };
        }
        day -= length;
    }
    format!("{day} January 2027")
}
