import type { FindingParams } from '../../findings/families.ts'

type Damage = NonNullable<FindingParams['gateway-changed']['damage']>

/** Number of characters of an excerpt before and after the first difference. */
const BEFORE = 12
const AFTER = 28

interface TextDifference {
  readonly damage: Damage
  /** Excerpts from the first difference on. */
  readonly sent: string
  readonly arrived: string
}

export function compareText(sent: string, arrived: string): TextDifference | undefined {
  if (sent === arrived) return undefined
  let at = 0
  while (at < sent.length && sent[at] === arrived[at]) at += 1
  return { damage: nameDamage(sent, arrived), sent: excerpt(sent, at), arrived: excerpt(arrived, at) }
}

function nameDamage(sent: string, arrived: string): Damage {
  if (arrived.includes('\uFFFD') && !sent.includes('\uFFFD')) return 'replaced-characters'
  if (sent.startsWith(arrived)) return 'missing-end'
  if (arrived.length > sent.length && isSubsequence(sent, arrived)) return 'repeated-part'
  return arrived.length < sent.length && isSubsequence(arrived, sent) ? 'missing-part' : 'other-text'
}

/** Returns whether the longer text contains all characters of the shorter one in their order. */
function isSubsequence(shorter: string, longer: string): boolean {
  let at = 0
  for (const character of longer) if (shorter.startsWith(character, at)) at += character.length
  return at === shorter.length
}

/** Cuts at code points, so that the excerpt itself contains no half character. */
function excerpt(text: string, at: number): string {
  const part = text
    .slice(Math.max(0, at - BEFORE), at + AFTER)
    .toWellFormed()
    .replace(/^\uFFFD|\uFFFD$/g, '')
  return `${at > BEFORE ? '…' : ''}${part}${at + AFTER < text.length ? '…' : ''}`
}
