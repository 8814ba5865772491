import StateMachines
import Testing
