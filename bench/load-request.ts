export const VUS = Number(__ENV['VUS'])
export const ITERATIONS = Number(__ENV['ITERATIONS'])

export const options = {
  insecureSkipTLSVerify: true,
  scenarios: { all: { executor: 'shared-iterations', vus: VUS, iterations: ITERATIONS, maxDuration: '1h' } },
}

export const TARGET_URL = __ENV['URL'] ?? ''
export const REQUEST_HEADERS = { 'content-type': 'application/json', authorization: 'Bearer none' }
export const REQUEST_BODY = JSON.stringify({
  model: 'vendora-v4-flash',
  stream: true,
  messages: [{ role: 'user', content: 'Hello.' }],
})
