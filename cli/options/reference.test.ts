import { expect, test } from 'vitest'
import { INIT_TABLE } from '../probe-target.ts'
import { CONFORMANCE_COMMAND_TABLE } from '../commands/conformance.ts'
import { DOCTOR_TABLE } from '../commands/doctor.ts'
import { EMULATOR_COMMAND_TABLE } from '../commands/emulator.ts'
import { LOAD_TABLE } from '../commands/load.ts'
import { PROVE_TABLE } from '../commands/prove.ts'
import { REPORT_COMPARE_TABLE, REPORT_MATRIX_TABLE } from '../commands/report-compare.ts'
import { REPORT_FILES_TABLE } from '../commands/report-files.ts'
import { REPORT_HISTORY_TABLE } from '../commands/report-history.ts'
import { REPORT_MERGE_TABLE } from '../commands/report-merge.ts'
import type { OptionRow } from '../../common/options/option-table.ts'
import { renderReferencePage } from './render-option-reference.ts'

const TABLES = {
  emulator: EMULATOR_COMMAND_TABLE,
  conformance: CONFORMANCE_COMMAND_TABLE,
  load: LOAD_TABLE,
  prove: PROVE_TABLE,
  init: INIT_TABLE,
  doctor: DOCTOR_TABLE,
  report: REPORT_FILES_TABLE,
  'report compare': REPORT_COMPARE_TABLE,
  'report matrix': REPORT_MATRIX_TABLE,
  'report history': REPORT_HISTORY_TABLE,
  'report merge': REPORT_MERGE_TABLE,
}

// To update the page, run `npx vitest run --project unit cli/options -u`.
test('docs/reference/options.md lists every option as the tables declare it', async () => {
  await expect(renderReferencePage(TABLES)).toMatchFileSnapshot('../../docs/reference/options.md')
})

test.each(Object.entries(TABLES))(
  'every option of %s has a unique flag, and a placeholder for its value',
  (_, table) => {
    const rows: readonly OptionRow[] = Object.values(table)
    const flags = rows.map(({ flag }) => flag)
    expect(flags.filter((flag, index) => flags.indexOf(flag) !== index)).toEqual([])
    for (const row of rows) expect([row.flag, 'placeholder' in row]).toEqual([row.flag, row.type !== 'boolean'])
  },
)
