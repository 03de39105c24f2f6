import fc from 'fast-check'

// Setup of the unit tier. It makes fast-check generate the same inputs in every run. `npm run test:nightly` uses random
// seeds.
fc.configureGlobal({ seed: 1 })
