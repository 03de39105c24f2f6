import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** Behaviour that the owner declares and with which a check compares its observation. */
export interface DeclaredBehaviour {
  /** Text of the declaration, for the report. */
  readonly text: string
  /** Source of a regular expression that matches the text of an observation if the behaviour is as declared. */
  readonly pattern: string
}

/** Names that `declares` may contain, with the IDs of their observations and with special values. */
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

/**
 * Patterns of the values that all observations without special values accept. `accepted` stands for every response
 * except errors and redirects.
 */
const WORDS: Readonly<Record<string, string>> = {
  accepted: String.raw`^(?!.*\breturned [3-5]\d\d)`,
  refused: String.raw`\breturned 4\d\d`,
}

/** Names that `declares` may contain instead of IDs. */
export const DECLARED_NAMES = Object.keys(NAMES)

/**
 * Returns the IDs of the observations for a name or an ID in `declares`.
 * @throws InvalidOptionError for an unknown name
 */
export function findObservationIds(name: string): readonly string[] {
  const row = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  if (row === undefined && !name.includes('/')) {
    throw invalid(name, `is not a name: use one of ${DECLARED_NAMES.join(', ')}, or the ID of an observation`)
  }
  return row?.ids ?? [name]
}

/**
 * Parses `declares` of a target file. A value is a status (`405`), `accepted`, `refused`, a special value of the name,
 * a regular expression between slashes, or the text of the observation. The text before its first colon is optional.
 * @returns the declarations by check ID
 * @throws InvalidOptionError that names the invalid entry
 */
export function parseDeclaredBehaviours(
  declares: Readonly<Record<string, string | number>>,
): Readonly<Record<string, DeclaredBehaviour>> {
  const entries = Object.entries(declares).flatMap(([name, value]) => {
    const behaviour: DeclaredBehaviour = { text: String(value), pattern: patternOf(name, value) }
    return findObservationIds(name).map((id) => [id, behaviour] as const)
  })
  const duplicate = entries.find(([id], index) => entries.findIndex(([other]) => other === id) !== index)
  if (duplicate !== undefined) {
    const problem = `sets ${duplicate[0]} twice, by its ID and by a name`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'declares', problem })
  }
  return Object.fromEntries(entries)
}

export function matchesDeclaration({ pattern }: DeclaredBehaviour, actual: string): boolean {
  return new RegExp(pattern, 'u').test(actual)
}

function patternOf(name: string, value: string | number): string {
  if (typeof value === 'number') {
    return String.raw`\breturned ${value}\b`
  }
  const own = NAMES[name]?.words
  const word = own === undefined ? value : own[value]
  if (word === undefined) {
    throw invalid(name, `must be ${Object.keys(own ?? {}).join(' or ')}`)
  }
  const expression = /^\/(.+)\/$/s.exec(word)?.[1]
  if (expression === undefined) {
    // Also matches the text without its part before the colon, which describes the request.
    const texts = [word, word.replace(/^[^:]*: /, '')].map(escaped)
    return Object.hasOwn(WORDS, word) ? (WORDS[word] ?? '') : `^(?:[^:]*: )?(?:${texts.join('|')})$`
  }
  try {
    return new RegExp(expression, 'u').source
  } catch {
    throw invalid(name, 'is not a regular expression: write each backslash twice in JSON')
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

function invalid(name: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: `declares.${name}`, problem })
}
