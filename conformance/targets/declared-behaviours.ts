import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** The owner's declaration about one observation. */
export interface DeclaredBehaviour {
  /** The original text, for the report. */
  readonly words: string
  /** Source of the regular expression that the observed behaviour must match. */
  readonly pattern: string
}

/** The names of `declares`, each with its observations and its special values, if any. */
const NAMES: Readonly<
  Record<string, { readonly ids: readonly string[]; readonly words?: Readonly<Record<string, string>> }>
> = {
  contentParts: { ids: ['4.2/content-text-part'] },
  developerRole: { ids: ['2.3/role-developer'] },
  emptyMessages: { ids: ['4.2/messages-empty'] },
  imageParts: { ids: ['4.2/content-image-part'] },
  imageUrls: { ids: ['2.4/url-key'], words: { public: 'accepted', key: 'refused' } },
  integerWithPoint: { ids: ['4.2/integer-with-point'] },
  jsonInsteadOfForm: { ids: ['4.4/json-body'] },
  missingContentType: { ids: ['4/content-type-missing'] },
  modelsWithoutCredits: { ids: ['5/models-without-credits'] },
  nullOptional: { ids: ['4.2/null-optional'] },
  otherVoices: { ids: ['4.5/voice-other'] },
  trailingSlash: { ids: ['4/trailing-slash'] },
  unknownMembers: { ids: ['4.2/unknown-member'] },
  wrongMethod: { ids: ['4/wrong-method-models', '4/wrong-method-chat'] },
}

/** Values that every observation supports. Every response other than an error or a redirect counts as accepted. */
const WORDS: Readonly<Record<string, string>> = {
  accepted: String.raw`^(?!.*\banswered [3-5]\d\d)`,
  refused: String.raw`\banswered 4\d\d`,
}

/** The names that can be used instead of ids. */
export const DECLARED_NAMES = Object.keys(NAMES)

/** Returns the ids of the observations that a name or an id of `declares` selects. */
export function idsDeclaredBy(name: string): readonly string[] {
  const row = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  if (row === undefined && !name.includes('/')) {
    throw invalid(name, `is no name: it can be ${DECLARED_NAMES.join(', ')}, or the id of an observation`)
  }
  return row?.ids ?? [name]
}

/**
 * Parses `declares` of a target file. A value is a status (`405`), `accepted`, `refused`, a special value of the name,
 * a regular expression between slashes, or the exact text of the observation. The part of that text before its first
 * colon is optional.
 * @returns the declarations by check id
 * @throws InvalidOptionError that names the invalid entry
 */
export function readDeclaredBehaviours(
  declares: Readonly<Record<string, string | number>>,
): Readonly<Record<string, DeclaredBehaviour>> {
  const entries = Object.entries(declares).flatMap(([name, value]) => {
    const behaviour: DeclaredBehaviour = { words: String(value), pattern: patternOf(name, value) }
    return idsDeclaredBy(name).map((id) => [id, behaviour] as const)
  })
  const twice = entries.find(([id], index) => entries.findIndex(([other]) => other === id) !== index)
  if (twice !== undefined) {
    const problem = `answers ${twice[0]} twice: by its id and by a name`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'declares', problem })
  }
  return Object.fromEntries(entries)
}

function patternOf(name: string, value: string | number): string {
  if (typeof value === 'number') {
    return String.raw`\banswered ${value}\b`
  }
  const own = NAMES[name]?.words
  const word = own === undefined ? value : own[value]
  if (word === undefined) {
    throw invalid(name, `must be ${Object.keys(own ?? {}).join(' or ')}`)
  }
  const expression = /^\/(.+)\/$/s.exec(word)?.[1]
  if (expression === undefined) {
    return Object.hasOwn(WORDS, word) ? (WORDS[word] ?? '') : `^(?:[^:]*: )?${escaped(word)}$`
  }
  try {
    return new RegExp(expression, 'u').source
  } catch {
    throw invalid(name, 'is no regular expression: JSON needs each backslash twice')
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

function invalid(name: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: `declares.${name}`, problem })
}
