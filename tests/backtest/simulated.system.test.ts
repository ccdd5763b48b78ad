import { simulatedSuite } from './simulated.suite.ts';

simulatedSuite({ full: false });
