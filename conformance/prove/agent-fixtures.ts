import type { Fixture } from '../../emulator/start-emulator.ts'

const FORECAST = { city: 'Paris', days: 2, unit: 'celsius' }
const FORCED_WEATHER = { name: 'get_weather', arguments: FORECAST }

/** Responses of the emulator to the requests of agent checks, in the format that client SDKs expect. */
export const AGENT_FIXTURES: readonly Fixture[] = [
  {
    tools: ['get_weather'],
    toolChoice: 'required',
    message: /Oslo/,
    toolCalls: [FORCED_WEATHER, { name: 'get_weather', arguments: { ...FORECAST, city: 'Oslo' } }],
  },
  { tools: ['get_weather'], toolChoice: 'required', toolCalls: [FORCED_WEATHER] },
  { tools: ['get_time'], toolChoice: 'get_time', toolCalls: [{ name: 'get_time', arguments: { city: 'Paris' } }] },
  { toolResultOf: 'get_weather', text: 'Sun, and 21 degrees.' },
  { tools: ['get_weather'], toolChoice: 'auto', text: 'I do not know.' },
  { responseFormat: 'forecast', json: FORECAST },
  { responseFormat: 'json_object', json: FORECAST },
]
