import { compareFactsOutsideTables } from './compare-facts-outside-tables.ts'
import type { SpecFacts, ObjectFieldRow, ParameterRow } from './spec-facts.ts'
import { parseSections } from './read-spec.ts'
import type { SpecSection } from './read-spec.ts'

/** A table as the specification must contain it, built from the constants of `facts.ts`. */
interface ExpectedTable {
  readonly section: string
  /** Zero-based index of the table within its section. */
  readonly tableIndex: number
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/**
 * Compares every table of the specification with the constants of `facts.ts`. Also reports tables and rows that occur
 * in only one of the two.
 * @returns one line per difference, with section, row and column; empty if there is no difference
 */
export function compareFactsWithSpec(facts: SpecFacts, markdown: string): string[] {
  const sections = parseSections(markdown)
  const expected = buildExpectedTables(facts)
  return [
    ...expected.flatMap((table) => compareTable(table, sections)),
    ...findUnexpectedTables(expected, sections),
    ...compareFactsOutsideTables(facts, sections),
  ]
}

function buildExpectedTables(facts: SpecFacts): ExpectedTable[] {
  const { OBJECT_FIELDS: objects, PARAMETERS: parameters } = facts
  return [
    buildFieldTable('2.1', objects.model),
    {
      section: '2.1',
      tableIndex: 1,
      header: ['Model ID', 'Description', 'Cost (credits/token)'],
      rows: facts.MODELS.map((model) => [model.id, model.description, model.creditsPerToken]),
    },
    {
      section: '2.2',
      tableIndex: 0,
      header: ['Value', 'Meaning'],
      rows: facts.QUALITY_MODES.map((mode) => [mode.value, mode.meaning]),
    },
    buildFieldTable('2.3', objects.chatCompletion),
    buildFieldTable('2.4', objects.imageResult),
    {
      section: '2.5',
      tableIndex: 0,
      header: ['Field', 'Type'],
      rows: objects.transcription.map((row) => [row.name, row.type]),
    },
    buildParameterTable('4.2', 'Parameter', parameters.chat),
    buildParameterTable('4.3', 'Parameter', parameters.images),
    buildParameterTable('4.4', 'Field', parameters.transcriptions),
    buildParameterTable('4.5', 'Parameter', parameters.speech),
    {
      section: '7',
      tableIndex: 0,
      header: ['Code', 'Meaning', 'Condition'],
      rows: facts.ERROR_STATUSES.map((status) => [String(status.code), status.meaning, status.condition]),
    },
  ]
}

function buildFieldTable(section: string, fields: readonly ObjectFieldRow[]): ExpectedTable {
  const rows = fields.map((field) => [field.name, field.type, field.notes ?? ''])
  return { section, tableIndex: 0, header: ['Field', 'Type', 'Notes'], rows }
}

function buildParameterTable(section: string, firstColumn: string, parameters: readonly ParameterRow[]): ExpectedTable {
  const rows = parameters.map((row) => [row.name, row.type, row.required ? 'yes' : 'no', row.description])
  return { section, tableIndex: 0, header: [firstColumn, 'Type', 'Required', 'Description'], rows }
}

function compareTable(expected: ExpectedTable, sections: readonly SpecSection[]): string[] {
  const { section, tableIndex } = expected
  const table = sections.find((one) => one.number === section)?.tables[tableIndex]
  if (!table) {
    return [`${section}: the document has no table ${tableIndex + 1}`]
  }
  const differences = compareCells(`${section}, header`, expected.header, expected.header, table.header)
  const rowCount = Math.max(expected.rows.length, table.rows.length)
  for (let row = 0; row < rowCount; row += 1) {
    const ours = expected.rows[row] ?? []
    const theirs = table.rows[row] ?? []
    const name = theirs[0] ?? ours[0] ?? ''
    differences.push(...compareCells(`${section}, ${name}`, expected.header, ours, theirs))
  }
  return differences
}

function compareCells(
  place: string,
  header: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string[] {
  const differences: string[] = []
  for (let column = 0; column < Math.max(ours.length, theirs.length); column += 1) {
    if (ours[column] !== theirs[column]) {
      const name = header[column] ?? `column ${column + 1}`
      differences.push(`${place}, ${name}: facts ${ours[column] ?? 'nothing'}, document ${theirs[column] ?? 'nothing'}`)
    }
  }
  return differences
}

function findUnexpectedTables(expected: readonly ExpectedTable[], sections: readonly SpecSection[]): string[] {
  return sections.flatMap(({ number, tables }) =>
    tables
      .map((_, tableIndex) => tableIndex)
      .filter((tableIndex) => !expected.some((one) => one.section === number && one.tableIndex === tableIndex))
      .map((tableIndex) => `${number}: no facts for table ${tableIndex + 1} of the document`),
  )
}
