import { OPERATIONS } from './facts.ts'
import { GATEWAY_SENTENCES } from './gateway-sentences.ts'

/** Short names of the specification's sections, by section number. `0` is the text before the first section. */
export const SECTION_NAMES: Readonly<Record<string, string>> = {
  '0': 'Introduction',
  '1': 'Service',
  '2': 'Resources',
  '2.1': 'Model',
  '2.2': 'Quality mode',
  '2.3': 'Chat completion object',
  '2.4': 'Image result',
  '2.5': 'Transcription result',
  '3': 'States',
  '4': 'Endpoints',
  '4.1': 'List models',
  '4.2': 'Chat completions',
  '4.3': 'Image generations',
  '4.4': 'Transcriptions',
  '4.5': 'Speech',
  '5': 'Authentication',
  '6': 'Events',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versioning',
}

/**
 * Formats a section number with the section's name, for example `§4.2 Chat completions`. The section `gateway`, which
 * stands for `gateway.md`, becomes `Gateway`.
 */
export function formatSection(section: string): string {
  if (section === 'gateway') return 'Gateway'
  const name = SECTION_NAMES[section]
  return name === undefined ? `§${section}` : `§${section} ${name}`
}

/** Formats the source of a quotation: its section, and for a sentence of `gateway.md` its number, such as `Gateway G7`. */
export function formatSource(section: string, quote: string): string {
  const at = section === 'gateway' ? GATEWAY_SENTENCES.findIndex((sentence) => sentence.quote === quote) : -1
  return at === -1 ? formatSection(section) : `${formatSection(section)} G${at + 1}`
}

/** Number of the section that describes the response object, by operation. */
const RESULT_SECTIONS: Readonly<Record<string, string>> = {
  models: '2.1',
  chat: '2.3',
  images: '2.4',
  transcriptions: '2.5',
}

/**
 * Returns the numbers of the sections that `text` names: by number (`§4.2`), by name (`authentication`,
 * `chat-completions`), or by operation (`chat` selects its endpoint and its response object). Returns an empty list if
 * `text` names none.
 */
export function findSections(text: string): readonly string[] {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/^(?:§|section[ -])\s*/, '')
    .replaceAll(/\s+/g, '-')
  if (Object.hasOwn(SECTION_NAMES, word)) return [word]
  const operation = Object.entries(OPERATIONS).find(([name]) => name === word)
  if (operation !== undefined) {
    const [name, { section }] = operation
    return [section, ...(RESULT_SECTIONS[name] === undefined ? [] : [RESULT_SECTIONS[name]])]
  }
  return Object.keys(SECTION_NAMES).filter((number) => toSlug(SECTION_NAMES[number] ?? '') === word)
}

/** Names of sections and operations that {@link findSections} accepts in addition to section numbers. */
export const SECTION_KEYWORDS: readonly string[] = [
  ...Object.keys(OPERATIONS),
  ...Object.values(SECTION_NAMES).map(toSlug),
]

function toSlug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}
