//! Cases and properties of claims.

use proptest::prelude::*;

use super::*;

/// Before, after, and what is lost, altered and added.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [(&'static str, &'static str)], &'static [&'static str]);

/// Each text is also compared with itself, and the two the other way round. A claim may be told with more words around it (`40` for `40 seats`).
fn check(cases: &[Case]) {
    for (before, after, lost, altered, added) in cases {
        let told = told(before, after);
        let alike = |got: &[&str], want: &[&str]| got.len() == want.len() && got.iter().zip(want).all(|(g, w)| same(g, w));
        let (from, to): (Vec<&str>, Vec<&str>) = altered.iter().copied().unzip();
        let (got_from, got_to): (Vec<&str>, Vec<&str>) = told.1.iter().copied().unzip();
        let right = alike(&told.0, lost) && alike(&got_from, &from) && alike(&got_to, &to) && alike(&told.2, added);
        assert!(right, "{before}\n{after}\nwant {lost:?} {altered:?} {added:?}\ngot  {told:?}\n{:?}\n{:?}", claims(before), claims(after));
        assert_eq!(drift(after, before), drift(before, after).turned());
        assert!(drift(before, before).is_empty() && drift(after, after).is_empty(), "{before}");
    }
}

/// Lost, altered, added, as they stand in the texts.
fn told<'a>(before: &'a str, after: &'a str) -> (Vec<&'a str>, Vec<(&'a str, &'a str)>, Vec<&'a str>) {
    let drift = drift(before, after);
    let old = |place: &Place| place.span.of(before).unwrap();
    let new = |place: &Place| place.span.of(after).unwrap();
    let altered = drift.altered.iter().map(|(b, a)| (old(b), new(a))).collect();
    (drift.lost.iter().map(old).collect(), altered, drift.added.iter().map(new).collect())
}

/// One holds the other, and the digits are the same.
fn same(a: &str, b: &str) -> bool {
    let digits = |s: &str| s.chars().filter(char::is_ascii_digit).collect::<String>();
    digits(a) == digits(b) && (a.contains(b) || b.contains(a))
}

#[test]
fn money() {
    check(&[
        ("The late fee is €7.50 and the deposit €200.", "The late fee is €9.50 and the deposit is €200.", &[], &[("€7.50", "€9.50")], &[]),
        ("We have refunded £642.87 to your card.", "We have refunded GBP 642.87 to your card.", &[], &[], &[]),
        ("The plan is USD 1,500 a year.", "The plan is $1.5k per year.", &[], &[], &[]),
        ("The fine is twenty dollars.", "The fine is $20.", &[], &[], &[]),
        ("Each extra seat is $8 per month.", "Each extra seat is $8 per year.", &[], &[("$8 per month", "$8 per year")], &[]),
        ("The stamp costs 50 cents.", "The stamp costs $0.50.", &[], &[], &[]),
        ("The loss came to −$5.", "The loss came to $5.", &[], &[("−$5", "$5")], &[]),
        ("The budget is $1.2 million.", "The budget is $1,200,000.", &[], &[], &[]),
        ("The budget is 1,2 Mio. € im Jahr.", "Das Budget beträgt 1.200.000 Euro pro Jahr.", &[], &[], &[]),
        ("The price is CHF 1'200.50.", "The price is 1,200.50 CHF.", &[], &[], &[]),
        ("You pay C$40 now.", "You pay $40 now.", &[], &[("C$40", "$40")], &[]),
        ("You pay €30 today and €45 on delivery.", "You pay €45 today and €30 on delivery.", &[], &[("€30", "€45"), ("€45", "€30")], &[]),
        ("The Team tier is $12 and the Scale tier $30.", "The Scale tier is $30, the Team tier $12.", &[], &[], &[]),
        ("You will be charged $49 for the inspection.", "You will be charged a small amount for the inspection.", &["$49"], &[], &[]),
        ("料金は12,800円です。", "料金は12,800円（税込）です。", &[], &[], &[]),
        ("料金は12,800円です。", "料金は12,900円です。", &[], &[("12,800円", "12,900円")], &[]),
        ("Cuesta 1.299,00 € al año.", "El precio anual es de 1299 euros.", &[], &[], &[]),
        ("Le forfait coûte 25 € par mois.", "Le forfait coûte 35 € par mois.", &[], &[("25 €", "35 €")], &[]),
    ]);
}

#[test]
fn percentages() {
    check(&[
        ("Uptime was 99.95% in March.", "Uptime was 99.95 percent in March.", &[], &[], &[]),
        ("We take 2.9% plus $0.30 per sale.", "We take 2.9 % plus 30 cents per sale.", &[], &[], &[]),
        ("Errors fell by 12%.", "Errors fell by 21%.", &[], &[("12%", "21%")], &[]),
        ("Die Quote stieg um 2,5 %.", "Die Quote stieg um 2,5 Prozent.", &[], &[], &[]),
        ("Le taux est de 20 %.", "Le taux est de vingt pour cent.", &[], &[], &[]),
        ("The rate rose by 2 percentage points.", "The rate rose by 2%.", &[], &[("2 percentage points", "2%")], &[]),
        ("Roughly 40% of users saw it.", "Most users saw it.", &["40%"], &[], &[]),
    ]);
}

#[test]
fn dates() {
    check(&[
        ("The hearing is on 12/05/2026.", "The hearing is on 12 May 2026.", &[], &[], &[]),
        ("Invoices are due on the 15th of each month.", "Invoices are due on the fifteenth of each month.", &[], &[], &[]),
        ("Your trial ends on 9 Sept 2026.", "Your trial ends on September 9th, 2026.", &[], &[], &[]),
        ("Your trial ends on 9 September 2026.", "Your trial ends on 9 October 2026.", &[], &[("9 September 2026", "9 October 2026")], &[]),
        ("Wir melden uns bis zum 3. April.", "Wir melden uns bis 3.4.", &[], &[], &[]),
        ("Der Vertrag endet am 31. Dezember 2025.", "Der Vertrag endet am 31.12.2025.", &[], &[], &[]),
        ("Der Vertrag endet am 31.12.2025.", "Der Vertrag endet am 30.12.2025.", &[], &[("31.12.2025", "30.12.2025")], &[]),
        ("L'offre expire le 1er mars 2025.", "L'offre expire le 01/03/2025.", &[], &[], &[]),
        ("La reunión es el 3 de mayo de 2025.", "La reunión es el 03/05/2025.", &[], &[], &[]),
        (
            "La reunión es el 3 de mayo de 2025.",
            "La reunión es el 3 de junio de 2025.",
            &[],
            &[("3 de mayo de 2025", "3 de junio de 2025")],
            &[],
        ),
        ("期限は2025年3月1日です。", "期限は2025-03-01です。", &[], &[], &[]),
        ("The feature ships in March 2026.", "The feature ships in April 2026.", &[], &[("March 2026", "April 2026")], &[]),
        ("Please reply by Friday.", "Please reply by Monday.", &[], &[("Friday", "Monday")], &[]),
        ("We meet on Wednesday, 4 March.", "We meet on 4 March.", &[], &[], &[]),
        ("We were down on 2026-03-04T10:00:00Z.", "We were down on 4 March 2026 at 10:00 UTC.", &[], &[], &[]),
        ("The window is 10–12 March.", "The window is from 10 to 12 March.", &[], &[], &[]),
        ("The contract ends on 30 June 2026.", "The contract ends soon.", &["30 June 2026"], &[], &[]),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("There are 12 seats left.", "There are twelve seats left.", &[], &[], &[]),
        ("There are 12 seats left.", "There are 21 seats left.", &[], &[("12 seats", "21 seats")], &[]),
        ("You may invite up to five guests.", "You may invite up to 5 guests.", &[], &[], &[]),
        ("The cap is 10,000 requests.", "The cap is 10k requests.", &[], &[], &[]),
        ("We kept three of the backups.", "We kept some of the backups.", &["three"], &[], &[]),
        ("Es nahmen 1.250 Personen teil.", "Es nahmen 1250 Personen teil.", &[], &[], &[]),
        ("Nous avons 1 250 clients dans 12 pays.", "Nous avons 1250 clients dans douze pays.", &[], &[], &[]),
        ("The queue holds 5,000 jobs and runs 8 workers.", "The queue runs 8 workers and holds 5000 jobs.", &[], &[], &[]),
        ("The limit rose from 100 to 250.", "The limit rose from 250 to 100.", &[], &[("100", "250"), ("250", "100")], &[]),
        ("Temperatures stayed at −5 °C.", "Temperatures stayed at 5 °C.", &[], &[("−5 °C", "5 °C")], &[]),
    ]);
}

#[test]
fn durations() {
    check(&[
        ("We keep logs for 90 days.", "We keep logs for ninety days.", &[], &[], &[]),
        ("We keep logs for 90 days.", "We keep logs for a while.", &["90 days"], &[], &[]),
        ("The lease runs for two years.", "The lease runs for 24 months.", &[], &[], &[]),
        ("The first call takes half an hour.", "The first call takes 30 minutes.", &[], &[], &[]),
        ("Reply within one week.", "Reply within 7 days.", &[], &[], &[]),
        ("Reply within a day.", "Reply within 24 hours.", &[], &[], &[]),
        ("Reply within an hour.", "Reply within two hours.", &[], &[("an hour", "two hours")], &[]),
        ("The job took 1 hour and 35 minutes.", "The job took 95 minutes.", &[], &[], &[]),
        ("The job took 1h35m.", "The job took 95 min.", &[], &[], &[]),
        ("The review takes 10 working days.", "The review takes 10 days.", &[], &[("10 working days", "10 days")], &[]),
        ("A 15-day window applies.", "The window is 15 days.", &[], &[], &[]),
        ("You get fifteen (15) days.", "You get 15 days.", &[], &[], &[]),
        ("Die Frist beträgt vierzehn Tage.", "Die Frist beträgt 14 Tage.", &[], &[], &[]),
        ("Die Frist beträgt 14 Tage.", "Die Frist beträgt 14 Werktage.", &[], &[("14 Tage", "14 Werktage")], &[]),
        ("Le délai est de 10 jours.", "Le délai est de 10 jours ouvrés.", &[], &[("10 jours", "10 jours ouvrés")], &[]),
        ("El plazo es de 5 días hábiles.", "El plazo es de cinco días hábiles.", &[], &[], &[]),
        ("返金は5営業日以内です。", "返金は7営業日以内です。", &[], &[("5営業日", "7営業日")], &[]),
        (
            "The first reminder goes out after 7 days, the second after 14 days.",
            "The first reminder goes out after 14 days, the second after 7 days.",
            &[],
            &[("7 days", "14 days"), ("14 days", "7 days")],
            &[],
        ),
        (
            "You have 30 days. After 30 days the link expires.",
            "You have 15 days. After 15 days the link expires.",
            &[],
            &[("30 days", "15 days")],
            &[],
        ),
        ("The trial lasts 14 days.", "The trial lasts 14 days, and you can extend it by 7 days.", &[], &[], &["7 days"]),
        ("The call lasted 58 minutes.", "The call lasted about an hour.", &[], &[("58 minutes", "an hour")], &[]),
    ]);
}

#[test]
fn ranges() {
    check(&[
        ("Expect 2-4 weeks.", "Expect two to four weeks.", &[], &[], &[]),
        ("Expect 2-4 weeks.", "Expect 2-6 weeks.", &[], &[("2-4 weeks", "2-6 weeks")], &[]),
        ("The fee is between $10 and $15.", "The fee is $10–$15.", &[], &[], &[]),
        ("The fee is between $10 and $15.", "The fee is between $10 and $25.", &[], &[("$15", "$25")], &[]),
        ("We are open from 9:00 to 17:00.", "We are open 9:00–17:00.", &[], &[], &[]),
        ("We are open from 9 am to 5 pm.", "We are open 09:00-17:00.", &[], &[], &[]),
        ("Between 5% and 8% of mails bounce.", "5–8% of mails bounce.", &[], &[], &[]),
        ("Die Lieferung dauert 3 bis 5 Werktage.", "Die Lieferung dauert 3–5 Werktage.", &[], &[], &[]),
    ]);
}

#[test]
fn ordinals() {
    check(&[
        ("This is the second reminder.", "This is the 2nd reminder.", &[], &[], &[]),
        ("The invoice is sent on the 5th of the month.", "The invoice is sent on the 8th of the month.", &[], &[("5th", "8th")], &[]),
        ("After the fifth attempt the card is blocked.", "After the 5th attempt the card is blocked.", &[], &[], &[]),
        ("First, open the menu. Then save.", "Open the menu. Then save.", &[], &[], &[]),
    ]);
}

#[test]
fn list_numbers() {
    check(&[
        ("1) Open the menu\n2) Save", "1) Sign in\n2) Open the menu\n3) Save", &[], &[], &[]),
        ("Step 1: Open it. Step 2: Save it.", "Step 1: Sign in. Step 2: Open it. Step 3: Save it.", &[], &[], &[]),
        (
            "To do it: (1) open it, (2) save it within 10 minutes.",
            "To do it: (1) sign in, (2) open it, (3) save it within 10 minutes.",
            &[],
            &[],
            &[],
        ),
        ("- Open\n- Wait 5 minutes", "1. Open\n2. Wait 5 minutes", &[], &[], &[]),
        ("## 2. Fees\nThe fee is $5.", "## 3. Fees\nThe fee is $5.", &[], &[], &[]),
        ("1. **Open** it. 2. Close it.", "1. **Open** it. 2. Wait. 3. Close it.", &[], &[], &[]),
        ("Follow step 2 and wait 5 minutes.", "Follow step 3 and wait 5 minutes.", &[], &[], &[]),
    ]);
}

#[test]
fn versions() {
    check(&[
        ("Version 3.10 fixes it.", "Version 3.1 fixes it.", &[], &[("3.10", "3.1")], &[]),
        ("Install 4.2.0 or later.", "Install v4.2.0 or later.", &[], &[], &[]),
        ("We run Python 3.11.", "We run Python 3.12.", &[], &[("3.11", "3.12")], &[]),
        ("Release 5.0 drops support for 4.x.", "Version 5.0 drops support for 4.x.", &[], &[], &[]),
        ("Use TLS 1.2 or newer.", "Use TLS 1.3 or newer.", &[], &[("1.2", "1.3")], &[]),
    ]);
}

#[test]
fn phones() {
    check(&[
        ("Call (555) 010-0199.", "Call 555-010-0199.", &[], &[], &[]),
        ("Call +49 30 1234567.", "Call 030 1234567.", &[], &[], &[]),
        ("Call +49 30 1234567.", "Call +49 30 1234576.", &[], &[("+49 30 1234567", "+49 30 1234576")], &[]),
        ("Call 0800 123 4567 any time.", "Call us any time.", &["0800 123 4567"], &[], &[]),
    ]);
}

#[test]
fn addresses() {
    check(&[
        ("Write to Help@Shop.example.", "Write to help@shop.example.", &[], &[], &[]),
        ("Write to help@shop.example.", "Write to us.", &["help@shop.example"], &[], &[]),
        ("See https://docs.shop.example/fees/.", "See [the fees](https://docs.shop.example/fees).", &[], &[], &[]),
        (
            "See https://docs.shop.example/fees.",
            "See https://docs.shop.example/prices.",
            &[],
            &[("https://docs.shop.example/fees", "https://docs.shop.example/prices")],
            &[],
        ),
        ("See http://www.shop.example", "See shop.example", &[], &[], &[]),
    ]);
}

#[test]
fn codes() {
    check(&[
        ("Your ticket T-4411 is closed.", "Your ticket T-4412 is closed.", &[], &[("T-4411", "T-4412")], &[]),
        ("Your order #4411 shipped.", "Your order no. 4411 shipped.", &[], &[], &[]),
        ("The SKU is AB12-99X.", "The SKU is AB12-99Y.", &[], &[("AB12-99X", "AB12-99Y")], &[]),
        ("Error E5021 means a timeout.", "The error means a timeout.", &["E5021"], &[], &[]),
        ("Rechnung Nr. 20455 ist offen.", "Die Rechnung ist offen.", &["20455"], &[], &[]),
        ("Set MAX_CONN_2 to 5.", "Set MAX_CONN_2 to 7.", &[], &[("5", "7")], &[]),
        ("Use code SAVE20 before Friday.", "Use the code you were sent before Friday.", &["SAVE20"], &[], &[]),
        ("Refund re_3Nf9 was sent for charge ch_88Xa.", "Refund re_3Nf9 was sent.", &["ch_88Xa"], &[], &[]),
        ("Fix in pull request #482 and issue 97.", "Fix in pull request 482 and issue #97.", &[], &[], &[]),
        ("The address is 10.0.4.17.", "The address is 10.0.4.71.", &[], &[("10.0.4.17", "10.0.4.71")], &[]),
        (
            "IBAN DE89370400440532013000 is used.",
            "IBAN DE89370400440532013001 is used.",
            &[],
            &[("DE89370400440532013000", "DE89370400440532013001")],
            &[],
        ),
    ]);
}

#[test]
fn times() {
    check(&[
        ("The call starts at 14:30.", "The call starts at 2:30 pm.", &[], &[], &[]),
        ("The call starts at 9 am.", "The call starts at 9 pm.", &[], &[("9 am", "9 pm")], &[]),
        ("The job runs at midnight UTC.", "The job runs at 00:00 UTC.", &[], &[], &[]),
        ("Wir öffnen um 8.30 Uhr.", "Wir öffnen um 8:30 Uhr.", &[], &[], &[]),
        ("Wir öffnen um 9 Uhr.", "Wir öffnen um 10 Uhr.", &[], &[("9 Uhr", "10 Uhr")], &[]),
        ("La réunion commence à 14h30.", "La réunion commence à 14:30.", &[], &[], &[]),
        ("Service resumes at 14:00 UTC.", "Service resumes at 16:00 CEST.", &[], &[], &[]),
        ("The store closes at noon.", "The store closes at 12:00.", &[], &[], &[]),
        ("La tienda abre a las 9:30.", "La tienda abre a las 10:30.", &[], &[("9:30", "10:30")], &[]),
        ("The call is at 3 pm PST.", "The call is at 3 p.m. PST.", &[], &[], &[]),
        ("The call is at 15:00 UTC.", "The call is at 15:00 UTC+2.", &[], &[("15:00 UTC", "15:00 UTC+2")], &[]),
        ("The call is at 10:15.", "The call is in the morning.", &["10:15"], &[], &[]),
        ("Maintenance runs 22:00–23:30 CET.", "Maintenance runs from 22:00 to 23:30 CET.", &[], &[], &[]),
        ("会議は午後3時です。", "会議は15時です。", &[], &[], &[]),
    ]);
}

#[test]
fn units() {
    check(&[
        ("The disk has 2 TB.", "The disk has 2000 GB.", &[], &[], &[]),
        ("The box weighs 1.5 kg.", "The box weighs 1,500 g.", &[], &[], &[]),
        ("The route is 12 km long.", "The route is 21 km long.", &[], &[("12 km", "21 km")], &[]),
        ("Uploads are limited to 25 MB.", "Uploads are limited to 25 GB.", &[], &[("25 MB", "25 GB")], &[]),
        ("Timeouts occur after 30s.", "Timeouts occur after 30 seconds.", &[], &[], &[]),
        ("It uses 250 MB of memory.", "It uses little memory.", &["250 MB"], &[], &[]),
        ("The link runs at 100 Mbit/s.", "The link runs at 0.1 Gbit/s.", &[], &[], &[]),
        ("Retry after 90 s.", "Retry after 1 min 30 s.", &[], &[], &[]),
        ("Retry twice.", "Retry two times.", &[], &[], &[]),
        ("It runs 3x faster.", "It runs three times faster.", &[], &[], &[]),
        ("The limit is 60 requests per minute.", "The limit is 60 requests per second.", &[], &[], &[]),
    ]);
}

#[test]
fn several_at_once() {
    check(&[
        ("We refunded $20 on 3 May and $35 on 9 May.", "On 9 May we refunded $35, and on 3 May $20.", &[], &[], &[]),
        (
            "Contact us within 60 days, with order 5521, at help@shop.example.",
            "At help@shop.example you can reach us for sixty days; name order 5521.",
            &[],
            &[],
            &[],
        ),
        (
            "| Plan | Price |\n|---|---|\n| Basic | $10 |\n| Plus | $20 |",
            "| Plan | Price |\n|---|---|\n| Plus | $20 |\n| Basic | $10 |",
            &[],
            &[],
            &[],
        ),
        (
            "| Plan | Price |\n|---|---|\n| Basic | $10 |\n| Plus | $20 |",
            "| Plan | Price |\n|---|---|\n| Basic | $20 |\n| Plus | $10 |",
            &[],
            &[("$10", "$20"), ("$20", "$10")],
            &[],
        ),
        ("The fee is $5.", "Refunds over $100 need approval from finance.", &["$5"], &[], &["$100"]),
        ("I am one of them, and no one else.", "I am among them.", &[], &[], &[]),
        ("Billing happens once a day, and you get a second chance.", "Billing happens daily.", &[], &[], &[]),
        (
            "The plan costs $40, includes 5 seats, and renews on 1 July.",
            "The plan costs $45, includes five seats, and renews automatically.",
            &["1 July"],
            &[("$40", "$45")],
            &[],
        ),
        ("Send evidence within 30 days.", "Evidence must be uploaded within 15 days.", &[], &[("30 days", "15 days")], &[]),
        (
            "All 14 of our 20 routers restarted at 09:12 UTC; 2 did not.",
            "At 09:12 UTC fourteen of our 20 routers restarted; 3 did not.",
            &[],
            &[("2", "3")],
            &[],
        ),
    ]);
}

#[test]
fn swaps() {
    check(&[
        (
            "Payment is due on 1 May and the report on 15 May.",
            "Payment is due on 15 May and the report on 1 May.",
            &[],
            &[("1 May", "15 May"), ("15 May", "1 May")],
            &[],
        ),
        (
            "Support solved 61% by mail and 39% by phone.",
            "Support solved 39% by mail and 61% by phone.",
            &[],
            &[("61%", "39%"), ("39%", "61%")],
            &[],
        ),
        (
            "Write to a@x.example for billing and b@x.example for support.",
            "Write to b@x.example for billing and a@x.example for support.",
            &[],
            &[("a@x.example", "b@x.example"), ("b@x.example", "a@x.example")],
            &[],
        ),
        (
            "Standard delivery takes 5 days, express 2 days.",
            "Standard delivery takes 2 days, express 5 days.",
            &[],
            &[("5 days", "2 days"), ("2 days", "5 days")],
            &[],
        ),
        (
            "The shop opens at 9:00 and closes at 17:00.",
            "The shop opens at 17:00 and closes at 9:00.",
            &[],
            &[("9:00", "17:00"), ("17:00", "9:00")],
            &[],
        ),
        ("Berlin has 40 seats and Paris 60.", "Paris has 60 seats and Berlin 40.", &[], &[], &[]),
        (
            "Der Basistarif kostet 10 € und der Profitarif 20 €.",
            "Der Basistarif kostet 20 € und der Profitarif 10 €.",
            &[],
            &[("10 €", "20 €"), ("20 €", "10 €")],
            &[],
        ),
    ]);
}

#[test]
fn moves() {
    check(&[
        (
            "The refund of $86.40 went to card 4471 on 4 March. It concerned order 48213.",
            "On 4 March we refunded $86.40 for order 48213. The money went to card 4471.",
            &[],
            &[],
            &[],
        ),
        ("Please send the form by 9 June. The form has 3 pages.", "The form has three pages. By 9 June, please send it.", &[], &[], &[]),
    ]);
}

#[test]
fn repeated() {
    check(&[
        ("The fee is $5. Nobody pays more than $5.", "The fee is $5.", &[], &[], &[]),
        ("You have thirty days. After 30 days it ends.", "After 30 days it ends.", &[], &[], &[]),
        ("The fee is $5. Nobody pays more than $5.", "The fee is $5. Nobody pays more than $8.", &[], &[("$5", "$8")], &[]),
    ]);
}

#[test]
fn hedges() {
    check(&[
        ("Nearly 2 million people use it.", "Some 2,000,000 people use it.", &[], &[], &[]),
        ("About 3k users signed up.", "3,000 users signed up.", &[], &[], &[]),
        ("Up to ~500 rows fit.", "Up to 500 rows fit.", &[], &[], &[]),
        ("≈ 40 % of calls fail.", "About 40% of calls fail.", &[], &[], &[]),
    ]);
}

#[test]
fn rounded() {
    check(&[
        ("We served 1,987 guests.", "We served nearly 2,000 guests.", &[], &[("1,987", "2,000")], &[]),
        ("61.4% of tickets were solved.", "61% of tickets were solved.", &[], &[("61.4%", "61%")], &[]),
        ("The bill is $1,987.50.", "The bill is about $2,000.", &[], &[("$1,987.50", "$2,000")], &[]),
    ]);
}

#[test]
fn typography() {
    check(&[
        ("The form INV\u{2011}00412 is due in 2\u{2011}10 days.", "The form INV-00412 is due in 2-10 days.", &[], &[], &[]),
        ("It costs 20\u{202f}€ or 10\u{a0}% of the „price“.", "It costs 20 € or 10 % of the \"price\".", &[], &[], &[]),
        ("Frist: fu\u{308}nf Tage, Betrag: 5\u{ad}00 €.", "Frist: fünf Tage, Betrag: 500 €.", &[], &[], &[]),
        ("Das Abo kostet 1.299,– € im Jahr.", "Das Abo kostet 1299 € im Jahr.", &[], &[], &[]),
    ]);
}

#[test]
fn german() {
    check(&[
        ("Die Wartung dauert 2 Std. 10 Min.", "Die Wartung dauert 130 Minuten.", &[], &[], &[]),
        ("Wir haben dreihundert Anfragen in 48 Stunden beantwortet.", "In zwei Tagen haben wir 300 Anfragen beantwortet.", &[], &[], &[]),
        ("Die Rate beträgt 49,90 € monatlich.", "Die monatliche Rate beträgt 49,90 Euro.", &[], &[], &[]),
        ("Am 1.4.2025 steigt der Preis um 3 %.", "Der Preis steigt am 1. April 2025 um drei Prozent.", &[], &[], &[]),
        ("Ihre Kundennummer ist 7731.", "Ihre Kundennummer ist 7713.", &[], &[("7731", "7713")], &[]),
        ("Die Frist endet in zwei Wochen.", "Die Frist endet bald.", &["zwei Wochen"], &[], &[]),
    ]);
}

#[test]
fn french() {
    check(&[
        ("La panne a duré 2 heures et 10 minutes.", "La panne a duré 130 minutes.", &[], &[], &[]),
        ("Le 3 mars 2025, 1,2 million d'événements ont été perdus.", "Le 03/03/2025, 1 200 000 événements ont été perdus.", &[], &[], &[]),
        ("Vous avez quinze jours.", "Vous avez 15 jours.", &[], &[], &[]),
        ("Vous avez quinze jours pour répondre.", "Vous avez trente jours pour répondre.", &[], &[("quinze jours", "trente jours")], &[]),
    ]);
}

#[test]
fn spanish() {
    check(&[
        ("El pedido 5521 llegó el martes.", "El pedido 5521 llegó el jueves.", &[], &[("martes", "jueves")], &[]),
        ("Tiene treinta y cinco días.", "Tiene 35 días.", &[], &[], &[]),
        ("El descuento es del 15 por ciento.", "El descuento es del 15 %.", &[], &[], &[]),
    ]);
}

#[test]
fn japanese() {
    check(&[
        ("返品は30日以内、送料は500円です。", "返品は30日以内、送料は600円です。", &[], &[("500円", "600円")], &[]),
        ("処理には2時間かかります。", "処理には120分かかります。", &[], &[], &[]),
        ("１２,８００円を10月18日に返金しました。", "10月18日に12,800円を返金しました。", &[], &[], &[]),
    ]);
}

#[test]
fn additions() {
    check(&[
        ("We will look into it.", "We will look into it by 5 p.m. tomorrow and refund €15.", &[], &[], &["5 p.m.", "€15"]),
        ("See the docs.", "See the docs at https://docs.shop.example/a.", &[], &[], &["https://docs.shop.example/a"]),
    ]);
}

#[test]
fn vague_words() {
    check(&[
        ("We answer within two hours.", "We answer quickly.", &["two hours"], &[], &[]),
        ("It fails in 3 of 10 runs.", "It fails in some runs.", &["3", "10"], &[], &[]),
        ("Your discount of 15% ends on 30 June.", "Your discount ends soon.", &["15%", "30 June"], &[], &[]),
    ]);
}

#[test]
fn words_that_state_nothing() {
    check(&[
        (
            "This is one of the best, and a third party said so for the first time.",
            "It is among the best, and a third party agreed.",
            &[],
            &[],
            &[],
        ),
        ("You may march on; we may help 4 times.", "You may march on; we may help four times.", &[], &[], &[]),
        ("Thank you for your patience. In the meantime, on the one hand we help.", "Thank you. Meanwhile we help.", &[], &[], &[]),
    ]);
}

#[test]
fn the_example_of_the_docs() {
    check(&[(
        "The Basic plan costs $10 per month and the Plus plan $20.  Order 4811 ships in 15 days.",
        "The Basic plan costs $20 per month and the Plus plan $10.  Your order ships in two weeks.",
        &["4811"],
        &[("$10", "$20"), ("$20", "$10"), ("15 days", "two weeks")],
        &[],
    )]);
}

#[test]
fn what_is_no_claim() {
    for text in [
        "",
        "1. Open it.\n2. Save it.",
        "No one said so, a while ago, for the most part.",
        "You may march on, as May does.",
        "Step 3: press the third-party button.",
        "## 4. Fees",
    ] {
        assert_eq!(claims(text).iter().filter(|c| !c.loose).count(), 0, "{text}: {:?}", claims(text));
    }
}

#[test]
fn one_claim_and_its_place() {
    for (text, want) in [
        (
            "Pay \u{2212}$1,234.50 by 4 March 2026, ref RF-2391, in ten business days.",
            vec!["\u{2212}$1,234.50", "4 March 2026", "RF-2391", "ten business days"],
        ),
        ("On Tuesday, 4 March, at 9:30 am (CET).", vec!["Tuesday, 4 March", "9:30 am (CET)"]),
        ("(see https://a.example/x?y=1), or mail x.y@a.example.", vec!["https://a.example/x?y=1", "x.y@a.example"]),
        ("Call +44 (0)20 7946 0321 or 020 7946 0999.", vec!["+44 (0)20 7946 0321", "020 7946 0999"]),
        ("$10 per month for 2 h 10 min and 5 TB", vec!["$10 per month", "2 h 10 min", "5 TB"]),
        ("fu\u{308}nf Tage, 1.299,\u{2013} \u{20ac}", vec!["fu\u{308}nf Tage", "1.299,\u{2013} \u{20ac}"]),
        ("#7731, v2.14.1, #tag, 10.0.4.17", vec!["#7731", "v2.14.1", "10.0.4.17"]),
    ] {
        let found: Vec<&str> = claims(text).iter().map(|c| c.span.of(text).unwrap()).collect();
        assert_eq!(found, want, "{text}");
    }
}

#[test]
fn labelled_rows_are_read_as_people_read_them() {
    let rows = include_str!("../../../tests/data/labels/claims.open.jsonl").lines();
    let mut right = [0, 0];
    // Even and odd rows apart: neither half may fall behind.
    for (number, line) in rows.enumerate() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let (before, after) = (text(&row["before"]), text(&row["after"]));
        let told = told(&before, &after);
        let list = |value: &serde_json::Value| value.as_array().unwrap().iter().map(text).collect::<Vec<_>>();
        let all = |got: &[&str], want: &[String]| got.len() == want.len() && want.iter().all(|w| got.iter().any(|g| same(g, w)));
        let meets = |want: &serde_json::Value| {
            let altered: Vec<Vec<String>> = want["altered"].as_array().unwrap().iter().map(&list).collect();
            all(&told.0, &list(&want["lost"]))
                && all(&told.2, &list(&want["added"]))
                && told.1.len() == altered.len()
                && altered.iter().all(|w| told.1.iter().any(|(b, a)| same(b, &w[0]) && same(a, &w[1])))
        };
        let others = row["alt"].as_array().cloned().unwrap_or_default();
        right[number % 2] += usize::from(meets(&row) || others.iter().any(meets));
    }
    assert!(right.iter().all(|n| *n >= 14), "{right:?} of 15 and 15 rows");
}

#[test]
fn hostile_texts_are_read_and_compared() {
    // Long enough that a walk to the end of the text for each of its claims would not be overlooked.
    let size = 50_000;
    for unit in [
        "9",
        "1 ",
        "1,",
        "1-",
        "1.",
        "$",
        "a1-",
        "12:",
        "((1",
        "+1 ",
        "one ",
        "a day ",
        "1 2 3 ",
        "x@",
        "http://",
        "1\n",
        "\u{308}",
        "\u{65e5}1",
        "3-5 days ",
    ] {
        let text = unit.repeat(size / unit.len());
        assert!(drift(&text, &text).is_empty(), "{unit}");
    }
}

const PIECES: &[&str] = &[
    "1",
    "20",
    "234",
    "2026",
    "05",
    "0",
    ",",
    ".",
    "-",
    "/",
    ":",
    " ",
    "\u{a0}",
    "$",
    "\u{20ac}",
    "USD ",
    "March",
    "may ",
    "%",
    "#",
    "\u{e9}",
    "twenty",
    "and",
    "one ",
    "k",
    "th",
    "'",
    "\u{2212}",
    "\n",
    "T",
    "of ",
    " days",
    " business",
    "h",
    "m",
    "min",
    " pm",
    "UTC",
    "+2",
    "to ",
    "\u{2013}",
    "between ",
    "per month",
    "\u{65e5}",
    "\u{6642}",
    "http://",
    "@",
    "_",
    "(",
    ")",
    "v",
    "a ",
    "half ",
    "hour",
    "M\u{e4}rz",
    "Tuesday, ",
    "noon",
    "\u{ff11}",
    "\u{308}",
    "\u{ad}",
    "\u{b0}C",
    "first ",
    "+44 ",
    "020 ",
    " and a half",
    "Mio. ",
    ",\u{2013}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_read_into_ordered_spans(picks in prop::collection::vec(0..PIECES.len(), 0..24), noise in ".{0,12}") {
        let text: String = picks.iter().map(|i| PIECES[*i]).chain([noise.as_str()]).collect();
        let found = claims(&text);
        prop_assert!(found.iter().all(|c| c.span.of(&text).is_some_and(|s| !s.is_empty())), "{:?} {:?}", text, found);
        prop_assert!(found.windows(2).all(|w| w[0].span.end <= w[1].span.start), "{:?} {:?}", text, found);
        prop_assert!(drift(&text, &text).is_empty(), "{:?} {:?}", text, drift(&text, &text));
    }

    #[test]
    fn lost_and_added_change_places_with_the_texts(a in prop::collection::vec(0..PIECES.len(), 0..16), b in prop::collection::vec(0..PIECES.len(), 0..16)) {
        let text = |picks: &[usize]| picks.iter().map(|i| PIECES[*i]).collect::<String>();
        let (a, b) = (text(&a), text(&b));
        prop_assert_eq!(drift(&a, &b), drift(&b, &a).turned(), "{:?} {:?}", a, b);
    }

    #[test]
    fn an_amount_is_lost_exactly_where_it_is_gone(old in prop::collection::vec(2u32..2000, 1..5), new in prop::collection::vec(2u32..2000, 1..5)) {
        let text = |numbers: &[u32]| numbers.iter().map(|n| format!("it took {n} users")).collect::<Vec<_>>().join("; ");
        let drift = drift(&text(&old), &text(&new));
        let gone: std::collections::BTreeSet<_> = old.iter().filter(|n| !new.contains(n)).collect();
        prop_assert!(drift.lost.len() + drift.altered.len() >= gone.len());
        prop_assert!(drift.lost.len() <= gone.len());
    }
}
