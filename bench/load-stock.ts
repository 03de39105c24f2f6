/** k6 script that sends POST requests and reads whole responses with k6's own HTTP module. */
import http from 'k6/http'
import { REQUEST_BODY, REQUEST_HEADERS, TARGET_URL } from './load-request.ts'

export { options } from './load-request.ts'

// oxlint-disable-next-line import/no-default-export -- k6 requires it
export default function post(): void {
  const response = http.post(TARGET_URL, REQUEST_BODY, { headers: REQUEST_HEADERS })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  // Checks only the first body, because decoding each one would add CPU time to the measurement.
  if (__ITER === 0 && !String(response.body).endsWith('[DONE]\n\n')) throw new Error('no whole body')
}

export function handleSummary(): object {
  return {}
}
