import { MESSAGE_ROLES } from '../../../contract/facts.ts'
import type { Outcome } from '../outcome.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import type { RunFacts } from './run-facts.ts'
import { formatResponseNoun, formatStatus } from './title-parts.ts'

type Role = (typeof MESSAGE_ROLES)[number]

/**
 * Returns the only possible cause of a finding that the target rejects each message of a role, if it serves other chats.
 * One check sends such messages without streaming, and another one sends them in a stream of each model.
 */
export function findRoleCauses({ outcome, operation }: CheckFinding, run: RunFacts): PossibleCause[] {
  const rejected = findRejectedRole(outcome)
  if (rejected === undefined || !run.served.has(operation)) return []
  const { role, label } = rejected
  return [
    {
      key: `role ${role} ${label}`,
      title: (members) =>
        `Messages with the role \`${role}\` get ${formatResponseNoun(label)}${describeModel(members)}`,
    },
  ]
}

function findRejectedRole(outcome: Outcome): { readonly role: Role; readonly label: string } | undefined {
  if (outcome.code === 'served-only-otherwise') {
    const { servedWith } = outcome.params
    const isSystem = 'variant' in servedWith && servedWith.variant === 'without the system message'
    return isSystem ? { role: 'system', label: formatStatus(outcome.params) } : undefined
  }
  if (outcome.code !== 'rejected-in-all-forms') return undefined
  const { responses } = outcome.params
  const [first] = responses
  const role = MESSAGE_ROLES.find((one) => responses.every(({ form }) => form.split(', ').includes(one)))
  return role === undefined || first === undefined ? undefined : { role, label: formatStatus(first) }
}

/** Names the model of the findings if they concern only streams of one model. */
function describeModel(members: readonly CheckFinding[]): string {
  const models = members.map(({ outcome: { difference } }) =>
    difference !== undefined && 'parameter' in difference && 'value' in difference ? difference.value : undefined,
  )
  const [model] = models
  return typeof model === 'string' && models.every((one) => one === model) ? ` from the model \`${model}\`` : ''
}
