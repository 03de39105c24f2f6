import { FINDING_CODES } from '../findings/families.ts'
import { MISSING_EVIDENCE_NAMES } from '../findings/not-tested.ts'
import { OPTION_TABLE } from '../options/option-table.ts'

const FLAGS = Object.values(OPTION_TABLE).map(({ flag }) => flag)

/** Names that documents and commands of the suite contain. A key may contain a part of one, such as `-limited-`. */
export const OWN_TEXT = [...FINDING_CODES, ...MISSING_EVIDENCE_NAMES, ...FLAGS].join(' ')
