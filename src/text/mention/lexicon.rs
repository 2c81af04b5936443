//! The words that name places in a text: ordinals, units and parts, in English, German, French and Spanish.

use super::known::Is;
use super::words::Token;

/// Where among its like something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// From 1.
    Nth(usize),
    FromEnd(usize),
    Middle,
    Next,
    Previous,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Paragraph,
    Section,
    Sentence,
    Step,
    Item,
    Table,
    List,
    Code,
    Heading,
}

/// A part that has a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Subject,
    Greeting,
    Opening,
    Closing,
    SignOff,
    Postscript,
    Title,
}

pub(super) fn rank(low: &str) -> Option<Rank> {
    let digits = low.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let is_ordinal = matches!(&low[digits..], "st" | "nd" | "rd" | "th" | "e" | "er" | "re" | "ère" | "ème" | "eme" | "nde");
        return low[..digits].parse().ok().filter(|_| is_ordinal).map(Rank::Nth);
    }
    Some(match low {
        "first" | "opening" | "initial" | "introductory" | "intro" | "first-ever" => Rank::Nth(1),
        "second" => Rank::Nth(2),
        "third" => Rank::Nth(3),
        "fourth" => Rank::Nth(4),
        "fifth" => Rank::Nth(5),
        "sixth" => Rank::Nth(6),
        "seventh" => Rank::Nth(7),
        "eighth" => Rank::Nth(8),
        "ninth" => Rank::Nth(9),
        "tenth" => Rank::Nth(10),
        "last" | "final" | "closing" | "concluding" | "ending" => Rank::FromEnd(1),
        "penultimate" | "second-to-last" | "next-to-last" | "second-last" => Rank::FromEnd(2),
        "third-to-last" | "antepenultimate" => Rank::FromEnd(3),
        "middle" | "central" => Rank::Middle,
        "next" | "following" | "subsequent" | "suivant" | "suivante" | "siguiente" => Rank::Next,
        "previous" | "preceding" | "prior" | "précédent" | "précédente" | "anterior" => Rank::Previous,
        "premier" | "première" | "premiers" | "premières" | "primer" | "primero" | "primera" | "primeros" | "primeras" => Rank::Nth(1),
        "deuxième" | "seconde" | "segundo" | "segunda" => Rank::Nth(2),
        "troisième" | "tercer" | "tercero" | "tercera" => Rank::Nth(3),
        "quatrième" | "cuarto" | "cuarta" => Rank::Nth(4),
        "cinquième" | "quinto" | "quinta" => Rank::Nth(5),
        "sixième" | "sexto" | "sexta" => Rank::Nth(6),
        "dernier" | "dernière" | "derniers" | "dernières" | "último" | "última" | "últimos" | "últimas" => Rank::FromEnd(1),
        "avant-dernier" | "avant-dernière" | "penúltimo" | "penúltima" => Rank::FromEnd(2),
        _ => return german_rank(low),
    })
}

fn german_rank(low: &str) -> Option<Rank> {
    let stem = ["en", "er", "es", "em", "e"].iter().find_map(|ending| low.strip_suffix(ending))?;
    Some(match stem {
        "erst" | "eingangs" => Rank::Nth(1),
        "zweit" => Rank::Nth(2),
        "dritt" => Rank::Nth(3),
        "viert" => Rank::Nth(4),
        "fünft" => Rank::Nth(5),
        "sechst" => Rank::Nth(6),
        "siebt" => Rank::Nth(7),
        "letzt" | "abschließend" => Rank::FromEnd(1),
        "vorletzt" => Rank::FromEnd(2),
        "mittler" => Rank::Middle,
        "nächst" | "folgend" => Rank::Next,
        "vorig" | "vorherig" | "vorangehend" => Rank::Previous,
        _ => return None,
    })
}

/// False for a word that no place can begin with.
pub(super) fn may_name_place(low: &str) -> bool {
    let unit = || ["", "list", "block", "point"].iter().any(|next| unit_of(low, next).is_some());
    // The words that some names go on with.
    let rest = [("", ""), ("line", ""), ("subject", ""), ("du", ""), ("off", ""), ("d'", "appel"), ("de", "politesse"), (".", "s")];
    let named = || rest.iter().any(|(next, third)| named_of(low, next, third).is_some());
    matches!(low, "very" | "one" | "ones" | "bit" | "code") || rank(low).is_some() || unit() || named()
}

/// The unit that begins at a token, how many tokens name it, and whether it is a plural.
pub(super) fn unit(tokens: &[Token<'_>]) -> Option<(Unit, usize, bool)> {
    unit_of(tokens.first().filter(|token| token.is(Is::Place))?.low.as_ref(), tokens.get(1).map_or("", |token| token.low.as_ref()))
}

fn unit_of(low: &str, next: &str) -> Option<(Unit, usize, bool)> {
    let plural =
        low.ends_with('s') || matches!(low, "absätze" | "absätzen" | "sätze" | "sätzen" | "abschnitte" | "abschnitten" | "schritte");
    let one = |unit| Some((unit, 1, plural));
    match low {
        "bullet" | "list" | "table" if matches!(next, "point" | "points" | "item" | "items" | "entry" | "entries" | "row" | "rows") => {
            let unit = if low == "table" { Unit::Table } else { Unit::Item };
            Some((unit, 2, next.ends_with('s')))
        }
        "bullet" | "bulleted" | "numbered" | "bullet-point" | "ordered" if matches!(next, "list" | "lists") => {
            Some((Unit::List, 2, next.ends_with('s')))
        }
        "code" if matches!(next, "block" | "blocks" | "snippet" | "snippets" | "sample" | "samples" | "example" | "examples" | "fence") => {
            Some((Unit::Code, 2, next.ends_with('s')))
        }
        "paragraph" | "paragraphs" | "para" | "paras" | "absatz" | "absatzes" | "absätze" | "absätzen" | "paragraphe" | "paragraphes"
        | "párrafo" | "párrafos" | "parrafo" => one(Unit::Paragraph),
        "section" | "sections" | "abschnitt" | "abschnitte" | "abschnitten" | "abschnitts" | "sección" | "secciones" | "part" | "parts"
        | "teil" | "partie" | "parte" | "passage" | "block" | "chapter" => one(Unit::Section),
        "sentence" | "sentences" | "line" | "lines" | "satz" | "satzes" | "sätze" | "sätzen" | "zeile" | "phrase" | "phrases" | "frase"
        | "frases" | "oración" | "oraciones" | "ligne" | "línea" => one(Unit::Sentence),
        "step" | "steps" | "schritt" | "schritte" | "schritten" | "étape" | "étapes" | "paso" | "pasos" => one(Unit::Step),
        "bullet" | "bullets" | "item" | "items" | "aufzählungspunkt" | "aufzählungspunkte" | "stichpunkt" | "stichpunkte"
        | "spiegelstrich" | "puce" | "puces" | "viñeta" | "viñetas" => one(Unit::Item),
        "table" | "tables" | "tabelle" | "tabellen" | "tableau" | "tableaux" | "tabla" | "tablas" | "row" | "rows" | "column"
        | "columns" => one(Unit::Table),
        "list" | "lists" | "liste" | "listen" | "listes" | "lista" | "listas" | "aufzählung" => one(Unit::List),
        "snippet" | "snippets" | "codeblock" | "code-block" => one(Unit::Code),
        "heading" | "headings" | "überschrift" | "überschriften" | "subheading" | "subheadings" => one(Unit::Heading),
        _ => None,
    }
}

/// How surely a word names a part where no article stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// Such a word has hardly another meaning.
    Alone,
    /// It needs an article: "the closing".
    Article,
    /// It needs an article, and nothing behind it that it could be the start or end of.
    Edge,
}

/// The named part that begins at a token, and how many tokens name it.
pub(super) fn named(tokens: &[Token<'_>]) -> Option<(Named, usize, Sure)> {
    let low = |at: usize| tokens.get(at).map_or("", |token| token.low.as_ref());
    named_of(low(0), low(1), low(2))
}

fn named_of(low: &str, next: &str, third: &str) -> Option<(Named, usize, Sure)> {
    Some(match low {
        "subject" | "e-mail" | "email" if next == "line" || (low != "subject" && next == "subject") => (Named::Subject, 2, Sure::Alone),
        "betreff" | "betreffzeile" | "asunto" => (Named::Subject, 1, Sure::Alone),
        "objet" if next == "du" => (Named::Subject, 1, Sure::Article),
        "subject" => (Named::Subject, 1, Sure::Article),
        "greeting" | "salutation" | "anrede" | "begrüßung" | "saludo" => (Named::Greeting, 1, Sure::Alone),
        "formule" if next == "d'" && third == "appel" => (Named::Greeting, 3, Sure::Alone),
        "formule" if next == "de" && matches!(third, "politesse" | "clôture") => (Named::SignOff, 3, Sure::Alone),
        "sign-off" | "signoff" | "signature" | "valediction" | "schlussformel" | "grußformel" | "unterschrift" | "signatur"
        | "despedida" | "firma" => {
            (Named::SignOff, 1, if matches!(low, "signature" | "firma" | "unterschrift") { Sure::Article } else { Sure::Alone })
        }
        "sign" if next == "off" => (Named::SignOff, 2, Sure::Article),
        "intro" | "introduction" | "einleitung" | "introducción" | "einstieg" | "einleitungssatz" | "opener" | "lede" => {
            (Named::Opening, 1, Sure::Alone)
        }
        "opening" | "lead" | "apertura" => (Named::Opening, 1, Sure::Article),
        "beginning" | "start" | "anfang" | "beginn" | "début" | "inicio" | "comienzo" => (Named::Opening, 1, Sure::Edge),
        "conclusion" | "schlusssatz" | "schlussteil" | "schlussabsatz" | "conclusión" => (Named::Closing, 1, Sure::Alone),
        "closing" | "ending" | "closer" | "schluss" | "cierre" | "clôture" | "outro" | "wrap-up" => (Named::Closing, 1, Sure::Article),
        "end" | "close" | "ende" | "fin" | "final" => (Named::Closing, 1, Sure::Edge),
        "p" if next == "." && third == "s" => (Named::Postscript, 3, Sure::Alone),
        "postscript" | "ps" | "postskriptum" => (Named::Postscript, 1, Sure::Alone),
        "title" | "headline" | "titel" | "titre" | "título" => (Named::Title, 1, Sure::Article),
        _ => return None,
    })
}

/// Articles and the like that point at something known.
#[rustfmt::skip]
pub(super) fn is_definite(low: &str) -> bool {
    matches!(low,
        "the" | "this" | "that" | "these" | "those" | "your" | "its" | "their" | "our" | "his" | "her" | "both" | "der" | "die" | "das"
            | "dem" | "den" | "im" | "am" | "zum" | "zur" | "beim" | "vom" | "ihr" | "ihre" | "ihrem" | "ihren" | "le" | "la" | "les"
            | "l'" | "du" | "au" | "aux" | "cette" | "votre" | "el" | "los" | "las" | "del" | "al" | "su" | "tu")
}

/// Words after which what is named is not there, or is only asked for.
#[rustfmt::skip]
pub(super) fn is_indefinite(low: &str) -> bool {
    matches!(low,
        "a" | "an" | "another" | "no" | "any" | "some" | "without" | "missing" | "lacks" | "lacking" | "add" | "adding" | "needs"
            | "insert" | "more" | "ein" | "eine" | "einen" | "einem" | "einer" | "kein" | "keine" | "keinen" | "ohne" | "fehlt" | "un"
            | "une" | "sans" | "una" | "sin" | "ningún" | "ninguna")
}

/// Words that stand before a place.
#[rustfmt::skip]
pub(super) fn is_preposition(low: &str) -> bool {
    matches!(low,
        "in" | "of" | "from" | "under" | "within" | "for" | "to" | "at" | "with" | "on" | "into" | "by" | "about" | "after" | "before"
            | "and" | "but" | "unter" | "aus" | "von" | "mit" | "dans" | "de" | "sous" | "en" | "y" | "et" | "und")
}

/// A guess by the ending: "the abrupt ending" against "the account ending".
pub(super) fn is_adjective(low: &str) -> bool {
    let endings = ["al", "ive", "ous", "ic", "ful", "ish", "ent", "ant", "ed", "y", "pt", "ble", "less", "ary", "en", "em", "er", "e"];
    low.len() > 3 && endings.iter().any(|ending| low.ends_with(ending))
        || matches!(low, "long" | "short" | "current" | "weak" | "new" | "old" | "whole" | "only")
}

/// Words that say something of what stands before them.
#[rustfmt::skip]
pub(super) fn is_verb(low: &str) -> bool {
    low.ends_with("n't")
        || matches!(low,
        "is" | "are" | "was" | "were" | "be" | "has" | "have" | "had" | "should" | "could" | "would" | "can" | "cannot" | "may"
            | "might" | "must" | "will" | "need" | "needs" | "does" | "do" | "did" | "reads" | "read" | "sounds" | "sound" | "feels"
            | "feel" | "seems" | "seem" | "lacks" | "lack" | "repeats" | "repeat" | "says" | "say" | "states" | "gives" | "leaves"
            | "makes" | "contains" | "comes" | "goes" | "tells" | "promises" | "mentions" | "explains" | "lists" | "describes"
            | "contradicts" | "mixes" | "uses" | "assumes" | "never" | "not" | "also" | "then" | "ist" | "sind" | "war" | "soll"
            | "sollte" | "sollten" | "muss" | "müsste" | "kann" | "könnte" | "fehlt" | "klingt" | "wirkt" | "passt" | "hat" | "est"
            | "sont" | "doit" | "devrait" | "peut" | "manque" | "pourrait" | "es" | "son" | "está" | "debe" | "debería" | "puede"
            | "podría" | "suena")
}

/// Adverbs and conjunctions that cannot continue a noun.
pub(super) fn ends_noun(low: &str) -> bool {
    matches!(
        low,
        "too"
            | "as"
            | "which"
            | "that"
            | "while"
            | "because"
            | "so"
            | "or"
            | "itself"
            | "remains"
            | "works"
            | "before"
            | "after"
            | "above"
            | "below"
            | "only"
            | "still"
            | "just"
    ) || is_definite(low)
}

/// Words for the text as a whole.
#[rustfmt::skip]
pub(super) fn names_whole(low: &str) -> bool {
    matches!(low,
        "text" | "draft" | "message" | "email" | "e-mail" | "reply" | "response" | "answer" | "letter" | "document" | "note" | "report"
            | "piece" | "post" | "article" | "page" | "entwurf" | "nachricht" | "antwort" | "schreiben" | "brief" | "texte" | "réponse"
            | "lettre" | "courriel" | "texto" | "respuesta" | "mensaje" | "correo" | "carta" | "write-up" | "memo" | "review" | "guide"
            | "copy" | "content")
}
