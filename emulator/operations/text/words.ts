/**
 * The words that the corpus is made of. At most eight letters each, ASCII, lower case: one word with the space
 * before it is one token, and none needs escaping in JSON.
 */
export const NOUNS = split(`
  harbor lantern river market garden engine letter window bridge forest castle winter signal teacher pilot baker farmer
  painter captain doctor village station library kitchen meadow valley island machine ladder basket blanket compass
  picture story answer question journey morning evening summer shadow mirror pocket ribbon hammer needle anchor feather
  candle kettle barrel wagon saddle copper silver marble timber cotton velvet thunder breeze harvest orchard pasture
`)

/** Verbs that take an object, third person. */
export const VERBS = split(`
  carries follows watches mends paints keeps finds leaves opens closes guards crosses measures gathers reaches holds
  lifts turns warms cleans remakes borrows returns admires counts covers drops draws fills frames greets joins leads
  marks moves needs passes reads repairs saves shares shows sorts sweeps takes teaches tests touches traces trims visits
`)

export const ADJECTIVES = split(`
  quiet narrow golden patient ancient careful distant empty gentle heavy hidden honest humble lively lonely modest
  pale plain polished proud rapid rough rusty secret silent simple slender slow small smooth steady strange sturdy
  sudden sunny tidy tiny warm wide wild wise wooden young bright broad calm clear clever cold curious deep early
`)

export const ADVERBS = split(`
  slowly quietly often seldom always gladly kindly almost soon twice rarely neatly boldly calmly early late again
`)

export const PLACES = split('behind beside beyond near under above across inside outside around toward past along')

export const LINKS = split('and but while because so though until before after when where since')

export const ARTICLES = split('the a the this the every the that one the another')

function split(words: string): readonly string[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => ` ${word}`)
}
