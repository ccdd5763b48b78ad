import { simulatedSuite } from './simulated.suite.ts';

simulatedSuite({ full: true });
