import type { SpecFacts, DefaultValue } from './spec-facts.ts'
import type { SpecSection } from './read-spec.ts'

/**
 * Compares the constants of `facts.ts` with the facts that the specification states outside its tables: operations in
 * the headings of section 4, defaults, the temperature range, message roles, prefixes and the number of units per
 * credit.
 * @returns one line per difference; empty if there is no difference
 */
export function compareFactsOutsideTables(facts: SpecFacts, sections: readonly SpecSection[]): string[] {
  const text = (number: string): string => sections.find((one) => one.number === number)?.lines.join('\n') ?? ''
  return [
    ...compareOperations(facts, sections),
    ...compareDefaults(facts, text('8')),
    ...compareValues('5, key prefix', facts.KEY_PREFIX, /start with the prefix (\S+) /.exec(text('5'))?.[1]),
    ...compareValues('9, path prefix', facts.PATH_PREFIX, /under the path prefix (\S+)\./.exec(text('9'))?.[1]),
    ...compareValues(
      '2.4, image path',
      facts.IMAGE_PATH_PREFIX,
      /under \{base_url\}(\S+) ending/.exec(text('2.4'))?.[1],
    ),
    ...compareValues('2.3, roles', facts.MESSAGE_ROLES.join(' '), readRoles(text('2.3'))),
    ...compareValues(
      '4.2, range of temperature',
      formatTemperatureRange(facts),
      /temperature, (.+?);/.exec(text('4.2'))?.[1],
    ),
    ...compareValues('8, range of temperature', formatTemperatureRange(facts), /\(range (.+?)\)/.exec(text('8'))?.[1]),
    ...compareValues('2.1, units per credit', String(facts.UNITS_PER_CREDIT), computeUnitsPerCredit(text('2.1'))),
  ]
}

function compareValues(place: string, ours: string, theirs: string | undefined): string[] {
  return ours === theirs ? [] : [`${place}: facts ${ours}, document ${theirs ?? 'nothing'}`]
}

function formatTemperatureRange({ TEMPERATURE_RANGE }: SpecFacts): string {
  return `${TEMPERATURE_RANGE.min} to ${TEMPERATURE_RANGE.max}`
}

function readRoles(text: string): string | undefined {
  const list = /allowed roles beyond (.+?):/.exec(text)?.[1]
  return list?.match(/(?<=")\w+(?=")/g)?.join(' ')
}

/** Returns 10 to the power of the highest number of decimal places in the price column. */
function computeUnitsPerCredit(text: string): string {
  const decimals = [...text.matchAll(/\| \d+\.(\d+) \|/g)].map((match) => match[1]?.length ?? 0)
  return String(10 ** Math.max(...decimals))
}

function compareOperations(facts: SpecFacts, sections: readonly SpecSection[]): string[] {
  const ours = Object.values(facts.OPERATIONS).map((row) => `${row.section} ${row.method} ${row.path} ${row.body}`)
  const theirs = sections
    .filter((section) => section.number.startsWith('4.'))
    .map((section) => `${section.number} ${section.title.replace('{base_url}', '')} ${readBodyKind(section)}`)
  return compareValues('4, operations', ours.join('\n'), theirs.join('\n'))
}

function readBodyKind({ lines }: SpecSection): string {
  const text = lines.join('\n')
  if (text.includes('Request body (JSON)')) {
    return 'json'
  }
  if (text.includes('Request body (multipart form)')) {
    return 'multipart'
  }
  return text.includes('Request: no body') ? 'none' : 'unknown'
}

function compareDefaults(facts: SpecFacts, limits: string): string[] {
  const line = /Defaults: (.+)\.$/m.exec(limits)?.[1] ?? ''
  const stated = [...line.matchAll(/(\w+) is ("\w+"|[\w.]+)/g)].map(
    ([, name, value = '']) => `${name}=${parseDefaultValue(value)}`,
  )
  const ours = Object.entries(facts.PARAMETER_DEFAULTS).map(([name, value]) => `${name}=${value}`)
  const differences = compareValues('8, defaults', ours.toSorted().join(' '), stated.toSorted().join(' '))
  for (const [operation, parameters] of Object.entries(facts.PARAMETERS)) {
    for (const parameter of parameters) {
      const described = /default (\S+)$/.exec(parameter.description)?.[1]
      const theirs = described === undefined ? undefined : String(parseDefaultValue(described))
      differences.push(
        ...compareValues(`4, default of ${operation} ${parameter.name}`, String(parameter.default), String(theirs)),
      )
    }
  }
  return differences
}

/** Parses a default value as the specification writes it: `256`, `1.0`, `false` or `"alloy"`. */
function parseDefaultValue(text: string): DefaultValue {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value
  }
  throw new TypeError(`not a literal of the document: ${text}`)
}
