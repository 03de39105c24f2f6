import type { RandomFunction } from '../../state/seeded-random.ts'

/** Returns the tokens of a sentence: each is a word with the space before it, or a punctuation mark. */
export function createAsciiSentence(random: RandomFunction): string {
  const tokens: string[] = []
  appendSentence(tokens, random)
  return tokens.join('')
}

/** Appends a sentence of one or two clauses, with a capital letter at the start and a punctuation mark at the end. */
function appendSentence(tokens: string[], random: RandomFunction): void {
  const start = tokens.length
  appendClause(tokens, random)
  if (random() < 0.4) {
    tokens.push(',', pick(CONJUNCTIONS, random))
    appendClause(tokens, random)
  }
  const first = tokens[start] ?? ''
  tokens[start] = ` ${first.charAt(1).toUpperCase()}${first.slice(2)}`
  tokens.push(random() < 0.9 ? '.' : '!')
}

function appendClause(tokens: string[], random: RandomFunction): void {
  appendNounPhrase(tokens, random)
  if (random() < 0.3) {
    tokens.push(pick(ADVERBS, random))
  }
  tokens.push(pick(VERBS, random))
  appendNounPhrase(tokens, random)
  if (random() < 0.5) {
    tokens.push(pick(PREPOSITIONS, random))
    appendNounPhrase(tokens, random)
  }
}

function appendNounPhrase(tokens: string[], random: RandomFunction): void {
  const article = pick(ARTICLES, random)
  const adjective = random() < 0.5 ? pick(ADJECTIVES, random) : undefined
  const noun = pick(NOUNS, random)
  const initial = (adjective ?? noun).charAt(1)
  tokens.push(article === ' a' && 'aeiou'.includes(initial) ? ' an' : article)
  if (adjective !== undefined) {
    tokens.push(adjective)
  }
  tokens.push(noun)
}

export function pick(words: readonly string[], random: RandomFunction): string {
  return words[Math.floor(random() * words.length)] ?? ''
}

/**
 * Nouns of the corpus: lower-case ASCII words of at most eight letters. Each word, together with the preceding space,
 * is one token and needs no escaping in JSON.
 */
export const NOUNS = splitWords(`
  harbor lantern river market garden engine letter window bridge forest castle winter signal teacher pilot baker farmer
  painter captain doctor village station library kitchen meadow valley island machine ladder basket blanket compass
  picture story answer question journey morning evening summer shadow mirror pocket ribbon hammer needle anchor feather
  candle kettle barrel wagon saddle copper silver marble timber cotton velvet thunder breeze harvest orchard pasture
`)

/** Verbs of the corpus: transitive, in the third person singular. */
export const VERBS = splitWords(`
  carries follows watches mends paints keeps finds leaves opens closes guards crosses measures gathers reaches holds
  lifts turns warms cleans remakes borrows returns admires counts covers drops draws fills frames greets joins leads
  marks moves needs passes reads repairs saves shares shows sorts sweeps takes teaches tests touches traces trims visits
`)

export const ADJECTIVES = splitWords(`
  quiet narrow golden patient ancient careful distant empty gentle heavy hidden honest humble lively lonely modest
  pale plain polished proud rapid rough rusty secret silent simple slender slow small smooth steady strange sturdy
  sudden sunny tidy tiny warm wide wild wise wooden young bright broad calm clear clever cold curious deep early
`)

export const ADVERBS = splitWords(`
  slowly quietly often seldom always gladly kindly almost soon twice rarely neatly boldly calmly early late again
`)

export const PREPOSITIONS = splitWords(
  'behind beside beyond near under above across inside outside around toward past along',
)

export const CONJUNCTIONS = splitWords('and but while because so though until before after when where since')

export const ARTICLES = splitWords('the a the this the every the that one the another')

function splitWords(words: string): readonly string[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => ` ${word}`)
}
