//! Mentions, by kind of evidence: critiques of four drafts, and what they may never do.

use proptest::prelude::*;

use super::*;
use crate::text::anchor::{Haystack, quotations};
use crate::text::section::{SectionRule, section_texts, sections};

const MAIL: &str = "Subject: Your parcel\n\nHi Dana,\n\nThank you for your patience. Your parcel left the warehouse in Rotterdam on Tuesday.\n\n\
    The carrier needs two to three working days. It leaves a card if nobody is at home. You can pick a new slot online.\n\n\
    A damaged item can be returned within 30 days. We pay for the return label, and the refund goes to your card.\n\n\
    Just reply to this message if anything is unclear.\n\nKind regards,\nMaya\n\nP.S. Our shop is closed on Monday.";
const REPORT: &str = "# Quarterly review\n\nStorage grew by 18% this quarter.\n\n## Usage by workspace\n\n| Workspace | Queries |\n|---|---|\n| plant | 12 |\n\n\
    ## Cost\n\nThe total was $27,450.\n\nQueries became cheaper.\n\n## Root cause analysis\n\nA deploy raised the retry limit.\n\n## Next steps\n\n\
    1. Rotate the keys.\n2. Set a limit.\n3. Merge the workspaces.";
const PLAIN: &str = "Every plan includes one free transfer per month.\n\nInstant transfers arrive within ten seconds and cost €1.50.\n\n\
    - Open the app.\n- Choose a recipient.\n\n```\nsend --now\n```\n\nAll fees are collected on the last day of the month.";

/// The mentions of a prose critique.
fn read<'c>(draft: &str, critique: &'c str) -> Vec<(usize, Evidence, bool, &'c str)> {
    let haystack = Haystack::new(draft);
    let quoted: Vec<(Span, Vec<Span>)> =
        quotation_spans(critique).into_iter().filter_map(|span| Some((span, haystack.find(span.of(critique)?, 0.8).ok()?.spans))).collect();
    let spans = sections(draft, SectionRule::Auto);
    let said = Said { text: critique, quoted, ..Said::default() };
    let texts = section_texts(draft, SectionRule::Auto);
    Index::new(&spans, &texts).mentions(&[said]).into_iter().map(|m| (m.section, m.evidence, m.strict, m.words)).collect()
}

fn of(list: &[(usize, Evidence, bool, &str)], wanted: impl Fn(Evidence, bool) -> bool) -> Vec<usize> {
    let mut out: Vec<usize> = list.iter().filter(|m| wanted(m.1, m.2)).map(|m| m.0).collect();
    out.dedup();
    out
}

/// Each critique with its strict mentions and the loose ones beyond them; none of these is of the whole.
#[track_caller]
fn check_all(draft: &str, cases: &[(&str, &[usize], &[usize])]) {
    let mut wrong = vec![];
    for (critique, strict, more) in cases {
        let found = read(draft, critique);
        let strictly = of(&found, |_, strict| strict);
        let looser: Vec<usize> =
            of(&found, |evidence, _| evidence != Evidence::Global).into_iter().filter(|at| !strictly.contains(at)).collect();
        let global = found.iter().any(|m| m.1 == Evidence::Global);
        if (strictly.as_slice(), looser.as_slice(), global) != (*strict, *more, false) {
            wrong.push(format!("{critique}\n    wanted {strict:?} {more:?}\n    found {strictly:?} {looser:?} {global} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn paragraphs_by_count() {
    check_all(
        MAIL,
        &[
            ("The second paragraph is too long.", &[3], &[]),
            ("Paragraph 2 is too long.", &[3], &[]),
            ("Paragraph two rambles.", &[3], &[]),
            ("Para. 3 buries the deadline.", &[4], &[]),
            ("In the 1st paragraph, thanks come too early.", &[2], &[]),
            ("The last paragraph is empty talk.", &[5], &[]),
            ("The final paragraph is empty talk.", &[5], &[]),
            ("The closing paragraph is empty talk.", &[5], &[]),
            ("The penultimate paragraph needs work.", &[4], &[]),
            ("The second-to-last paragraph needs work.", &[4], &[]),
            ("The second to last paragraph needs work.", &[4], &[]),
            ("The next to last paragraph needs work.", &[4], &[]),
            ("The last but one paragraph needs work.", &[4], &[]),
            ("Your opening paragraph is stiff.", &[2], &[]),
            ("The first and last paragraphs say the same.", &[2, 5], &[]),
            ("The first two paragraphs could be one.", &[2, 3], &[]),
            ("The last three paragraphs could be one.", &[3, 4, 5], &[]),
            ("Paragraphs 2-4 should be merged.", &[3, 4, 5], &[]),
            ("Paragraphs 2 to 4 should be merged.", &[3, 4, 5], &[]),
            ("Merge paragraphs 1 and 3.", &[2, 4], &[]),
            ("Merge paragraphs one, two and three.", &[2, 3, 4], &[]),
            ("The second through fourth paragraphs overlap.", &[3, 4, 5], &[]),
            ("The second and third paragraphs overlap.", &[3, 4], &[]),
            ("The first paragraph is fine, but the second could be shorter.", &[2, 3], &[]),
            ("The first paragraph is fine. The last one is not.", &[2, 5], &[]),
            ("First, second and third things first.", &[], &[]),
            ("Paragraph 9 contradicts the policy.", &[], &[]),
            ("This needs a second paragraph.", &[], &[]),
            ("Add a closing paragraph.", &[], &[]),
            ("Secondly, it should be two paragraphs.", &[], &[]),
            ("My second point is about nothing.", &[], &[]),
            ("Two paragraphs would do.", &[], &[]),
            ("The third paragraph, last sentence: who pays?", &[4], &[]),
            ("The paragraph after the first one is vague.", &[3], &[2]),
            ("The first paragraph is good. The next paragraph rambles.", &[2, 3], &[]),
            ("The last paragraph is good. The one before it rambles.", &[4, 5], &[]),
            ("The third paragraph is good, the one above is not.", &[3, 4], &[]),
            ("¶2 is too long.", &[3], &[]),
            ("The second paragraph from the end drags.", &[4], &[]),
            ("From paragraph 2 to paragraph 4 it is one story.", &[3, 4, 5], &[]),
            ("All paragraphs but the second are fine.", &[3], &[]),
            ("The two paragraphs after the first one overlap.", &[3, 4], &[2]),
            ("The third paragraph is clear, and the following one repeats it.", &[4, 5], &[]),
        ],
    );
    check_all(PLAIN, &[("Both paragraphs are fine.", &[], &[]), ("The middle paragraph is off.", &[1], &[])]);
    check_all("One here.\n\nTwo there.", &[("Both paragraphs repeat each other.", &[0, 1], &[])]);
}

#[test]
fn sentences_by_count() {
    check_all(
        MAIL,
        &[
            ("The first sentence is a cliché.", &[2], &[]),
            ("The very last sentence is a cliché.", &[5], &[]),
            ("Replace the closing sentence.", &[5], &[]),
            ("The opening line is a cliché.", &[2], &[]),
            ("The third sentence is cut off.", &[3], &[]),
            ("The second sentence of paragraph 3 is long.", &[4], &[]),
            ("In paragraph 2, the last sentence is a sales pitch.", &[3], &[]),
            ("Paragraph 2's last sentence is a sales pitch.", &[3], &[]),
            ("The second paragraph is good. Its last sentence is not.", &[3], &[]),
            ("The last sentence of the second paragraph is a sales pitch.", &[3], &[]),
            ("The first sentence in the third paragraph and the sign-off clash.", &[4, 6], &[]),
            ("Add a final sentence.", &[], &[]),
        ],
    );
}

#[test]
fn parts_by_name() {
    check_all(
        MAIL,
        &[
            ("The greeting is too casual.", &[1], &[]),
            ("Greeting: too casual.", &[1], &[]),
            ("The salutation is too casual.", &[1], &[]),
            ("The subject line says nothing.", &[0], &[]),
            ("The sign-off needs a surname.", &[6], &[]),
            ("Your sign off is fine.", &[6], &[]),
            ("The signature lacks a title.", &[6], &[]),
            ("The P.S. distracts.", &[7], &[]),
            ("The postscript distracts.", &[7], &[]),
            ("The opening is stiff.", &[2], &[]),
            ("The intro is stiff.", &[2], &[]),
            ("I would shorten the introduction.", &[2], &[]),
            ("The closing is abrupt.", &[5], &[]),
            ("The abrupt ending feels cold.", &[5], &[]),
            ("The conclusion is weak.", &[5], &[]),
            ("The end of the e-mail is weak.", &[5], &[]),
            ("At the beginning, thank the customer.", &[2], &[]),
            ("State it at the beginning of the message.", &[2], &[]),
            ("It is due at the end of the week.", &[], &[]),
            ("In the end it is fine.", &[], &[]),
            ("When does the clock start?", &[], &[]),
            ("There is no greeting of her manager.", &[], &[]),
            ("A warmer greeting would help.", &[], &[]),
            ("The closing date is wrong.", &[], &[]),
            ("The opening hours are wrong.", &[], &[]),
            ("The table needs a caption and the bullet points are not parallel.", &[], &[]),
        ],
    );
    check_all(
        PLAIN,
        &[
            ("The code block is untested.", &[3], &[]),
            ("The snippet is untested.", &[3], &[]),
            ("The list is too short.", &[2], &[]),
            ("The bullet points are not parallel.", &[2], &[]),
            ("The second bullet is vague.", &[2], &[]),
            ("Bullet 2 is vague.", &[2], &[]),
            ("Bullet 7 is vague.", &[], &[]),
            ("The paragraph before the list is vague.", &[1], &[2]),
            ("The paragraph right below the code block repeats itself.", &[4], &[3]),
            ("There is no greeting.", &[], &[]),
            ("The greeting is missing.", &[], &[]),
            ("Use a list instead.", &[], &[]),
        ],
    );
}

#[test]
fn steps_sections_and_headings() {
    check_all(
        REPORT,
        &[
            ("Step 2 is unclear.", &[5], &[]),
            ("Steps 1 and 3 are unclear.", &[5], &[]),
            ("Step 7 is unclear.", &[], &[]),
            ("The second step is unclear.", &[5], &[]),
            ("Section 2 has no trend.", &[2], &[3]),
            ("The third section has no trend.", &[4], &[]),
            ("The last section has no dates.", &[5], &[]),
            ("The table has no units.", &[1], &[]),
            ("The cost section has no trend.", &[2], &[3]),
            ("The section on cost has no trend.", &[2], &[3]),
            ("Under Cost, there is no trend.", &[2], &[3]),
            ("Under \"Cost\" there is no trend.", &[2], &[3]),
            ("The root cause analysis stops too early.", &[4], &[]),
            ("Root cause analysis: stops too early.", &[4], &[]),
            ("The root cause section stops too early.", &[4], &[]),
            ("The \"Next steps\" part has no dates.", &[5], &[]),
            ("The usage section has no trend.", &[1], &[]),
            ("Everything except the cost section is ready.", &[2], &[3]),
            ("That would cost more.", &[], &[]),
        ],
    );
    let numbered = "## 1. Usage\n\nIt grew.\n\n## 2. Risks\n\nKeys are old.\n\n## 4. Plan\n\nRotate.";
    check_all(
        numbered,
        &[
            ("Section 2 lists facts only.", &[1], &[]),
            ("Section 4 lists facts only.", &[2], &[]),
            ("Section 3 lists facts only.", &[], &[]),
            ("The risks are not ranked.", &[1], &[]),
            ("Risks: not ranked.", &[1], &[]),
        ],
    );
    let loose = "Do this.\n\n1. Install it.\n\n2. Enter the secret.\n\n3. Test.\n\nDone.";
    check_all(
        loose,
        &[
            ("Step 2 is unclear, and step 3 needs a warning.", &[2, 3], &[]),
            ("The last step is unclear.", &[3], &[]),
            ("The last paragraph is curt.", &[4], &[]),
        ],
    );
}

#[test]
fn quotations_and_proposals() {
    check_all(
        MAIL,
        &[
            ("\"It leaves a card\" is vague.", &[3], &[]),
            ("The word \"warehouse\" is jargon.", &[2], &[]),
            ("Replace \"Just reply\" with \"Please reply to us\".", &[5], &[]),
            ("Change it to \"We pay\".", &[], &[]),
            ("Add: \"You have not been charged.\"", &[], &[]),
            ("Instead of \"pick a new slot online\" say \"choose another day\".", &[3], &[]),
            ("The policy says \"refunds need approval\".", &[], &[]),
            ("It should say: The carrier needs one working day in Rotterdam.", &[], &[]),
        ],
    );
}

#[test]
fn words_of_one_section() {
    check_all(
        MAIL,
        &[
            ("The return label is not explained.", &[], &[4]),
            ("The part about the carrier is vague.", &[], &[3]),
            ("Rotterdam means nothing to her.", &[], &[]),
            ("She does not know Rotterdam.", &[], &[2]),
            ("What are working days?", &[], &[3]),
            ("The refund comes without a date.", &[], &[4]),
            ("The customer should know what to do.", &[], &[]),
            ("There is no mention of insurance.", &[], &[]),
            ("The ticket says nothing of the warehouse.", &[], &[]),
            ("30 days for damaged items is wrong.", &[], &[4]),
        ],
    );
}

#[test]
fn other_languages() {
    let german = "Guten Tag Frau Lindner,\n\nvielen Dank für Ihre Nachricht.\n\nDie Rückerstattung haben wir veranlasst.\n\nSie müssen nichts tun.\n\nMit freundlichen Grüßen\nJonas";
    check_all(
        german,
        &[
            ("Im zweiten Absatz fehlt das Datum.", &[2], &[]),
            ("Der letzte Absatz klingt hart.", &[3], &[]),
            ("Der vorletzte Absatz klingt hart.", &[2], &[]),
            ("Absatz 2 klingt hart.", &[2], &[]),
            ("Im 2. Absatz fehlt das Datum.", &[2], &[]),
            ("Die Anrede ist zu förmlich.", &[0], &[]),
            ("Die Schlussformel passt.", &[4], &[]),
            ("Der letzte Satz ist hart.", &[3], &[]),
            ("Die Einleitung ist leer.", &[1], &[]),
        ],
    );
    let french = "Bonjour Madame Caron,\n\nNous avons reçu votre demande.\n\nVous pouvez résilier à tout moment.\n\nNous restons à votre disposition.\n\nCordialement,\nÉlodie";
    check_all(
        french,
        &[
            ("Le deuxième paragraphe est vague.", &[2], &[]),
            ("Le paragraphe 2 est vague.", &[2], &[]),
            ("La dernière phrase est vide.", &[3], &[]),
            ("La formule de politesse est froide.", &[4], &[]),
            ("L'introduction est longue.", &[1], &[]),
            ("La résiliation n'est pas claire.", &[], &[2]),
        ],
    );
    let spanish = "Hola, Lucía:\n\nGracias por escribirnos.\n\nLa comisión se cobra en cada disputa.\n\nEl banco decide en 60 días.\n\nUn saludo,\nPagos";
    check_all(
        spanish,
        &[
            ("El segundo párrafo es duro.", &[2], &[]),
            ("El último párrafo es duro.", &[3], &[]),
            ("La despedida es fría.", &[4], &[]),
            ("Los plazos del banco están claros.", &[], &[3]),
        ],
    );
    let japanese =
        "佐藤様\n\nお問い合わせありがとうございます。\n\n返金額は12,800円です。\n\n手続きは必要ありません。\n\nサポートチーム　田中";
    check_all(
        japanese,
        &[
            ("第2段落は曖昧です。", &[2], &[]),
            ("最後の段落は短すぎます。", &[3], &[]),
            ("2段落目は曖昧です。", &[2], &[]),
            ("冒頭の挨拶が硬いです。", &[0], &[]),
            ("手続きについては良いです。", &[], &[3]),
        ],
    );
}

#[test]
fn remarks_on_the_whole() {
    let global = |critique: &str| read(MAIL, critique).iter().any(|m| m.1 == Evidence::Global);
    let mut wrong = vec![];
    for critique in [
        "The overall tone is off.",
        "Overall, it is too formal.",
        "The tone is bureaucratic throughout; write as one person to another.",
        "This is too long for a note. Halve it.",
        "Too long.",
        "The whole message is too long.",
        "Every paragraph starts the same way.",
        "Shorten the entire reply.",
        "The reply reads like a form letter and should be warmer.",
        "The draft is vague.",
        "Throughout, the text wavers between singular and plural.",
        "The tone is condescending.",
        "The language needs to be simpler.",
        "The e-mail as a whole lacks warmth.",
        "The message could be more concise.",
        "Make the whole text friendlier.",
        "The draft is accurate but too long overall.",
        "Insgesamt zu förmlich.",
        "Der ganze Text ist zu lang.",
        "Globalement, le ton est trop froid.",
        "En general, el tono es demasiado frío.",
        "全体的に敬語が硬い印象です。",
        "Far too long.",
        "It could be half as long.",
        "Cut everything by half.",
        "It reads like a form letter.",
        "The whole thing sounds robotic.",
        "Less jargon, please.",
        "Please make it shorter.",
    ] {
        if !global(critique) {
            wrong.push(format!("should be of the whole: {critique}"));
        }
    }
    for critique in [
        "Looks good to me. No changes needed.",
        "Overall a clear and useful reply.",
        "The draft is accurate and answers what was asked.",
        "The tone is professional throughout.",
        "The reply is clear, polite and complete.",
        "The draft does not mention the fee.",
        "The draft is missing the tracking number.",
        "The tone of the second paragraph is too harsh.",
        "In the closing, the tone is too cold.",
        "\"It leaves a card\" is vague. The tone is too casual.",
        "Overall, the second paragraph should be shorter.",
        "Overall good, but the closing should be warmer.",
        "The greeting is too long.",
        "The second paragraph is fine. It is too long, though.",
        "",
        "All paragraphs are clear.",
        "The draft is vague about the fee.",
        "The clock starts late, so the response time is not met.",
        "The draft states the amount, but it is not in the source.",
        "It is unclear what the fee is for.",
        "The draft does not give its length.",
        "Everything is fine.",
        "It should mention the fee.",
        "Nothing is said about taxes.",
        "全体的にわかりやすいです。",
    ] {
        if global(critique) {
            wrong.push(format!("should not be: {critique}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn evidence_is_kept_with_the_words_that_give_it() {
    let found = read(MAIL, "The second paragraph quotes \"It leaves a card\". Overall too long.");
    assert_eq!(found.len(), 10);
    assert!(found.contains(&(3, Evidence::Ordinal, true, "second paragraph")));
    assert!(found.contains(&(3, Evidence::Quotation, true, "It leaves a card")));
    assert!(found.contains(&(7, Evidence::Global, false, "Overall too long.")));
}

#[test]
fn a_long_critique_of_a_draft_of_many_sections_is_read_whole() {
    let paragraph = |n: usize| format!("## Part {n}\n\nParagraph {n} is about item w{n} and the fee.\n\n- a point\n- another\n\n");
    let draft: String = (0..4000).map(paragraph).collect();
    let lines = "The second paragraph is vague. The bullets are not parallel, the table too, and the fee of w17 is off. Overall, the \"fee\" is too long. \
        Paragraphs 1-60 overlap. The next one too. The list under Part 12 is long. Step 3 is unclear. The last sentence of section 4 goes on.\n";
    let critique = lines.repeat(100_000 / lines.len());
    let texts = section_texts(&draft, SectionRule::Paragraph);
    let spans = sections(&draft, SectionRule::Paragraph);
    assert_eq!(texts.len(), 8000);
    let found = Index::new(&spans, &texts).mentions(&[Said { text: &critique, ..Said::default() }]);
    // Quadratic work would take minutes here.
    assert!(found.len() >= 8000);
}

/// Words that make and break places.
const WORDS: &str = "(the|The|a|second|first|last|next|paragraph|paragraphs|sentence|section|step|bullet|greeting|closing|table|of|in|and|to|after|below|it|2|3-9|\
    99999999999999999999|,|\\.|\"|:|\n|\n\n|- |Cost|root cause|throughout|overall|too|long|is|should|say|段落|第|全体|é|’|“|”|Absatz|2\\. Absatz|fee|carrier) ?";

#[test]
fn a_place_that_ends_the_critique_is_read_to_its_end() {
    for critique in ["the paragraph after", "the paragraph after the", "See the second paragraph before", "the table below"] {
        read(MAIL, critique);
    }
}

proptest! {
    #[test]
    fn mentions_are_in_range_and_strict_ones_are_loose_ones_too(
        critique in prop::collection::vec(WORDS, 0..40),
        draft in prop::sample::select(vec![MAIL, REPORT, PLAIN, "", "x", "- a\n- b", "# T\n\n# U"]),
    ) {
        let critique: String = critique.concat();
        let count = section_texts(draft, SectionRule::Auto).len();
        let found = read(draft, &critique);
        for (section, evidence, strict, words) in &found {
            prop_assert!(*section < count);
            prop_assert!(critique.contains(words));
            prop_assert!(!strict || !matches!(evidence, Evidence::Lexical | Evidence::Global));
        }
        // Once each.
        let mut pairs: Vec<_> = found.iter().map(|m| (m.0, m.1)).collect();
        pairs.dedup();
        prop_assert_eq!(pairs.len(), found.len());
    }

    #[test]
    fn any_text_can_be_read(critique in any::<String>(), draft in any::<String>()) {
        read(&draft, &critique);
        read(&critique, &critique);
    }

    #[test]
    fn a_located_quotation_mentions_its_section(at in 0usize..6, words in 4usize..8) {
        let sections = section_texts(MAIL, SectionRule::Auto);
        let section = sections[at.min(sections.len() - 1)];
        let quote: Vec<&str> = section.split_whitespace().take(words).collect();
        let quote = quote.join(" ");
        let critique = format!("I do not like \"{quote}\" at all.");
        prop_assert_eq!(quotations(&critique), [quote.as_str()]);
        let found = read(MAIL, &critique);
        prop_assert!(found.iter().any(|m| m.1 == Evidence::Quotation && m.2 && sections[m.0] == section), "{:?}", found);
    }

    #[test]
    fn praise_of_the_whole_mentions_nothing_more(
        praise in prop::sample::select(vec![
            "The draft is clear and complete.", "Overall a good reply.", "Looks good to me.", "The tone is professional throughout.", "Well written.",
            "Overall, the message is friendly and accurate.",
        ]),
        critique in prop::sample::select(vec!["", "The second paragraph is vague.", "\"It leaves a card\" is vague.", "The closing is too cold.", "The tone is too cold."]),
    ) {
        let with = read(MAIL, critique).into_iter().map(|m| (m.0, m.1, m.2)).collect::<Vec<_>>();
        let praised = format!("{praise}\n{critique}");
        prop_assert_eq!(read(MAIL, &praised).into_iter().map(|m| (m.0, m.1, m.2)).collect::<Vec<_>>(), with);
    }
}
