import type { OutOfCredits } from '../../scenarios/lib/extension-result.ts'
import { creditsFromUnits } from './units.ts'

/** Why a run was ended by `--max-credits`, in one sentence. */
export function describeEnd({ limitUnits, countedUnits, underWayUnits, nextUnits }: OutOfCredits): string {
  const [limit, counted, underWay, next] = [limitUnits, countedUnits, underWayUnits, nextUnits].map(creditsFromUnits)
  return `It was ended by --max-credits, which gave this process ${limit}: ${counted} were counted, requests under way might cost ${underWay}, and the next one ${next}.`
}
