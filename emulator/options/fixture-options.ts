import type { OptionReader } from './read-options.ts'

/** The settings of fixtures and recordings, as flags, in the environment and in a config file. Files are read at the start. */
export const FIXTURE_OPTIONS: Readonly<Record<string, OptionReader>> = {
  fixtures: {
    flag: '--fixtures <path>',
    about: 'scripted answers: a JSON file, or a folder of them',
    read: (value) => (isPath(value) ? { fixtures: value } : 'It must be the path of a file or folder.'),
  },
  strictFixtures: {
    flag: '--strict-fixtures',
    about: 'answers 500 where no fixture and no recording is for a request, instead of making an answer up',
    read: (value) => {
      const isOn = value === true || value === 'true'
      return isOn || value === false || value === 'false' ? { strictFixtures: isOn } : 'It must be true or false.'
    },
  },
  replay: {
    flag: '--replay <folder>',
    about: 'answers from recordings',
    read: (value) => (isPath(value) ? { replay: value } : 'It must be the path of a folder.'),
  },
  replayPace: {
    flag: '--replay-pace <pace>',
    about: 'recorded or instant (default: recorded)',
    read: (value) =>
      value === 'recorded' || value === 'instant' ? { replayPace: value } : 'It must be recorded or instant.',
  },
  record: {
    flag: '--record <url>',
    about: "passes every request under /v1 on to this address, with the client's own key, and records the answers",
    read: (value) => {
      const isUrl = /^https?:$/.test(URL.parse(String(value))?.protocol ?? '')
      return isUrl ? { record: String(value) } : 'It must be an http or https URL.'
    },
  },
  recordDir: {
    flag: '--record-dir <folder>',
    about: 'where recordings are stored; keys never are (default: recordings)',
    read: (value) => (isPath(value) ? { recordDir: value } : 'It must be the path of a folder.'),
  },
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
